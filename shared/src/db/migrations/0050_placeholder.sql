-- Stands in for the migration of another branch.
select 1;
