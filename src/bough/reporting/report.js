
// A rule that is pointed at is shown in the tree, and the other way round; code is copied.
for (const row of document.querySelectorAll("#rules tr[data-node]")) {
  const card = document.querySelector(`svg.tree .node[data-n="${row.dataset.node}"]`);
  if (!card) continue;
  row.addEventListener("pointerenter", () => card.dispatchEvent(new PointerEvent("pointerover", { bubbles: true })));
  row.addEventListener("pointerleave", () => card.ownerSVGElement.dispatchEvent(new PointerEvent("pointerleave")));
  card.addEventListener("pointerenter", () => row.classList.add("on"));
  card.addEventListener("pointerleave", () => row.classList.remove("on"));
}
for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", () => {
    getSelection().selectAllChildren(button.parentElement.querySelector("pre"));
    document.execCommand("copy");
    button.textContent = "Copied";
  });
}
