import { expect, test } from "vitest";
import { looksRight } from "../stack.ts";
import { describeInBrowser, ownShop, press } from "../support.ts";

describeInBrowser("two people who change the same", (opened) => {
  test("the second save of a binding shows what the first one changed, and saves over it only when asked", async () => {
    const { open, owner, operator } = opened();
    const { site } = await ownShop(opened(), "Shared shop");
    const [binding] = (await owner.client.bindings.list.query({ siteId: site.id })).items;
    const id = binding?.id ?? "";
    const stored = async () => (await owner.client.bindings.get.query({ id })).binding;
    await using ann = await open({ token: owner.token });
    await using oscar = await open({ token: operator.token });
    const pages = [ann.page, oscar.page] as const;
    for (const page of pages) {
      await page.goto(`/bindings/${id}`);
      await page.getByLabel("On", { exact: true }).waitFor();
    }
    const eventOf = (page: (typeof pages)[number]) => page.getByRole("combobox", { name: "Event" });
    await eventOf(ann.page).fill("order.annulled");
    await ann.page.getByLabel("On", { exact: true }).setChecked(false, { force: true });
    await ann.page.getByRole("button", { name: "Save changes" }).click();
    await ann.page.getByText("Saved", { exact: true }).waitFor();

    await eventOf(oscar.page).fill("order.oscar");
    await oscar.page.getByRole("button", { name: "Save changes" }).click();
    const notice = oscar.page.getByRole("alert").filter({ hasText: / has changed this meanwhile/u });
    await notice.waitFor();
    await expect.poll(() => notice.evaluate((element) => element === document.activeElement)).toBe(true);
    const rows = notice.getByRole("row");
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringContaining("Field"),
      expect.stringMatching(/Event\s+order\.annulled\s+order\.oscar/u),
      expect.stringMatching(/Status\s+Switched off\s+Not changed by you/u),
    ]);
    await looksRight(oscar);
    expect(await stored()).toMatchObject({ event: "order.annulled", enabled: false });

    // By keyboard: the notice has the focus.
    await oscar.page.keyboard.press("Tab");
    const keep = notice.getByRole("button", { name: "Keep mine" });
    await expect.poll(() => keep.evaluate((element) => element === document.activeElement)).toBe(true);
    await oscar.page.keyboard.press("Enter");
    await oscar.page.getByText("Saved", { exact: true }).waitFor();
    await notice.waitFor({ state: "detached" });
    expect(await stored()).toMatchObject({ event: "order.oscar", enabled: false });
    expect(await oscar.page.getByLabel("On", { exact: true }).isChecked()).toBe(false);

    // The first one's page still has what they read; they take the other's.
    await eventOf(ann.page).fill("order.again");
    await ann.page.getByRole("button", { name: "Save changes" }).click();
    await press(ann.page.getByRole("button", { name: "Take theirs" }));
    await expect.poll(() => eventOf(ann.page).inputValue()).toBe("order.oscar");
    await ann.page.getByRole("alert").waitFor({ state: "detached" });
    await eventOf(ann.page).fill("order.agreed");
    await ann.page.getByRole("button", { name: "Save changes" }).click();
    await ann.page.getByText("Saved", { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ event: "order.agreed", enabled: false });

    // What is deleted under the form keeps what was typed, and is made anew with it; behind a dialog the page shows that it is gone.
    await owner.client.bindings.delete.mutate({ id });
    await eventOf(oscar.page).fill("order.later");
    await oscar.page.getByRole("button", { name: "Save changes" }).click();
    const gone = oscar.page.getByRole("alert").filter({ hasText: /Deleted meanwhile.*ann deleted it/su });
    await press(gone.getByRole("button", { name: "Create it again with these values" }));
    await expect.poll(() => oscar.page.url()).not.toContain(id);
    const [anew] = (await owner.client.bindings.list.query({ siteId: site.id })).items;
    expect(anew).toMatchObject({ event: "order.later", enabled: false });
    await ann.page.goto(`/bindings/${anew?.id}`);
    await ann.page.getByRole("button", { name: "More", exact: true }).click();
    await ann.page.getByRole("menuitem", { name: "Delete binding" }).click();
    await operator.client.bindings.delete.mutate({ id: anew?.id ?? "" });
    await press(ann.page.getByRole("dialog", { name: /^Delete the/u }).getByRole("button", { name: "Delete binding" }));
    await ann.page.getByText("Deleted meanwhile").waitFor();
    await ann.page.getByRole("button", { name: "Cancel" }).click();
    await ann.page.getByText("Deleted meanwhile").waitFor();
    expect([ann.problems, oscar.problems].map((problems) => problems.filter((problem) => !/40[49]/u.test(problem)))).toEqual([[], []]);
  });
});
