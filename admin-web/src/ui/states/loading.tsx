import { Center, Loader } from "@mantine/core";

export function Loading({ what }: { what: string }) {
  return (
    <Center p="xl" role="status" aria-label={`Loading ${what}`}>
      <Loader />
    </Center>
  );
}
