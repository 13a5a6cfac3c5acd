// What a reader can do with the tree: point, pin, fold, search, filter, zoom, walk with the keys.

const FAR = 4; // pixels that a pointer moves before it drags

class Tools {
  constructor(root, view) {
    this.root = root;
    this.view = view;
    this.frame = root.querySelector(".frame");
    this.rule = root.querySelector(".rule");
    this.rest = this.rule.textContent;
    this.inspector = root.querySelector(".inspector");
    this.pinned = null;
    this.traced = null;
    this.scale = 1;
    view.placed = () => { this.resize(); this.drawMap(); this.mark(); };
    this.listen();
    this.focusable(view.data.root);
    this.resize();
    this.drawMap();
    const [, height] = view.data.size;
    this.frame.scrollTop = view.at.y.get(view.data.root) + height / 2 - this.frame.clientHeight / 2;
  }

  find(name) { return this.root.querySelector(name); }

  listen() {
    const { svg } = this.view;
    const node = (event) => {
      const card = event.target.closest(".node");
      return card ? Number(card.dataset.n) : null;
    };
    svg.addEventListener("pointerover", (event) => this.point(node(event)));
    svg.addEventListener("pointerleave", () => this.point(null));
    svg.addEventListener("focusin", (event) => this.point(node(event)));
    svg.addEventListener("focusout", () => this.point(null));
    svg.addEventListener("click", (event) => {
      if (this.dragged) return;
      const n = node(event);
      if (n === null) return this.pin(null);
      this.focusable(n);
      if (event.target.closest(".fold")) this.view.fold(n);
      else this.pin(n === this.pinned ? null : n);
    });
    svg.addEventListener("keydown", (event) => this.key(event, node(event)));
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "/" && !event.target.closest("input, select, textarea")) {
        event.preventDefault();
        this.find(".search").focus();
      }
    });
    this.find(".search").addEventListener("input", () => this.search());
    this.find(".search").addEventListener("keydown", (event) => { if (event.key === "Enter") this.nextHit(); });
    for (const input of this.root.querySelectorAll(".filter")) input.addEventListener("input", () => this.filter());
    const does = {
      smaller: () => this.zoom(this.scale / 1.25), larger: () => this.zoom(this.scale * 1.25),
      whole: () => this.zoom(1), fit: () => this.fit(), collapse: () => this.collapse(), expand: () => this.expand(),
      save: () => this.save(),
    };
    for (const button of this.root.querySelectorAll("[data-do]")) button.addEventListener("click", does[button.dataset.do]);
    this.frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(this.scale * Math.exp(-event.deltaY / 400), event);
    }, { passive: false });
    this.frame.addEventListener("scroll", () => this.moveMap());
    this.drag();
  }

  // Pointing is shown over what is pinned or traced.
  point(n) {
    this.pointed = n;
    this.mark();
  }

  pin(n) {
    this.pinned = n;
    this.traced = null;
    this.mark();
    inspect(this.inspector, this.view, n);
  }

  trace(ends) {
    this.pinned = null;
    this.traced = ends;
    for (const n of ends) this.view.reveal(n);
    this.mark();
    this.show(ends[0]);
  }

  mark() {
    const { view } = this, { svg } = view;
    const ends = this.pointed != null ? [this.pointed] : this.pinned != null ? [this.pinned] : this.traced || [];
    const on = new Set(ends.flatMap((n) => view.path(n)));
    svg.classList.toggle("pointing", this.pointed != null);
    svg.classList.toggle("pinned", this.pointed == null && ends.length > 0);
    for (const layer of [view.card, view.edge]) for (const [n, g] of layer) g.classList.toggle("on", on.has(n));
    for (const [n, g] of view.card) g.classList.toggle("pin", n === this.pinned);
    const said = ends.map((n) => view.card.get(n).getAttribute("aria-label")).join(" — ");
    if (this.rule.textContent !== (said || this.rest)) this.rule.textContent = said || this.rest;
  }

  // One node at a time is reached by the Tab key.
  focusable(n) {
    for (const g of this.view.card.values()) g.setAttribute("tabindex", "-1");
    this.view.card.get(n).setAttribute("tabindex", "0");
  }

  go(n) {
    if (n === undefined || n < 0) return;
    this.focusable(n);
    this.view.card.get(n).focus({ preventScroll: true });
    this.show(n);
  }

  show(n) {
    this.view.card.get(n).scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  key(event, n) {
    if (n === null || event.ctrlKey || event.altKey || event.metaKey) return;
    const { view } = this, order = view.order, at = order.indexOf(n);
    const keys = {
      ArrowDown: () => this.go(order[at + 1]),
      ArrowUp: () => this.go(order[at - 1]),
      ArrowLeft: () => (event.shiftKey ? view.fold(n, false) : this.go(view.parent[n])),
      ArrowRight: () => {
        if (view.isLeaf(n)) return;
        if (view.open.has(n) && !event.shiftKey) this.go(view.nodes.first[n]); else view.fold(n, true);
      },
      Home: () => this.go(order[0]),
      End: () => this.go(order[order.length - 1]),
      Enter: () => this.pin(n === this.pinned ? null : n),
      " ": () => this.pin(n === this.pinned ? null : n),
      Escape: () => this.pin(null),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  search() {
    const { view } = this, { data, nodes } = view, words = this.find(".search").value.trim().toLowerCase();
    const hits = [];
    if (words) {
      nodes.feature.forEach((feature, n) => {
        const own = feature >= 0 ? data.columns[feature].name : data.classes ? data.classes[nodes.answer[n]] : "";
        const said = n === 0 ? "" : branchWords(view, n);
        if (`${own}\n${said}`.toLowerCase().includes(words)) hits.push(n);
      });
    }
    this.hits = hits;
    const seen = new Set(hits.map((n) => view.visible(n)));
    for (const [n, g] of view.card) g.classList.toggle("hit", seen.has(n));
    const tops = new Set(hits), rows = hits.filter((n) => !view.path(n).slice(0, -1).some((a) => tops.has(a)))
      .reduce((sum, n) => sum + nodes.rows[n], 0);
    this.find(".found").textContent = words ? `${rowsText(hits.length)} ${hits.length === 1 ? "box" : "boxes"} · ${rowsText(rows)} of ${rowsText(nodes.rows[0])} rows` : "";
  }

  nextHit() {
    if (!this.hits || !this.hits.length) return;
    this.turn = ((this.turn ?? -1) + 1) % this.hits.length;
    const n = this.hits[this.turn];
    this.view.reveal(n);
    this.search();
    this.point(n);
    this.show(n);
  }

  // Leaves that are not asked for become faint.
  filter() {
    const { view } = this, { nodes } = view;
    const least = Number(this.find(".least").value) || 0, share = (Number(this.find(".share")?.value) || 0) / 100;
    const wanted = this.find(".class")?.value ?? "";
    const keeps = (n) => nodes.rows[n] >= least && (wanted === "" || nodes.answer[n] === Number(wanted))
      && (share === 0 || nodes.value[n][nodes.answer[n]] >= share * nodes.weight[n]);
    const leaves = nodes.children.flatMap((children, n) => (children === 0 ? [n] : [])), kept = leaves.filter(keeps);
    const on = new Set(kept.flatMap((n) => view.path(n))), all = kept.length === leaves.length;
    for (const layer of [view.card, view.edge]) for (const [n, g] of layer) g.classList.toggle("out", !all && !on.has(n));
    const rows = kept.reduce((sum, n) => sum + nodes.rows[n], 0);
    this.find(".kept").textContent = all ? "" : `${rowsText(kept.length)} of ${rowsText(leaves.length)} leaves · ${rowsText(rows)} of ${rowsText(nodes.rows[0])} rows`;
  }

  collapse() {
    this.view.open = new Set([this.view.data.root]);
    this.view.place();
  }

  // Everything, unless that is too much to look at.
  expand() {
    const { view } = this, most = 2000;
    const queue = [view.data.root];
    for (let at = 0; at < queue.length && queue.length < most; at++) {
      if (view.isLeaf(queue[at])) continue;
      view.open.add(queue[at]);
      queue.push(...view.children(queue[at]));
    }
    view.place();
  }

  resize() {
    this.view.svg.setAttribute("width", this.view.width * this.scale);
    this.view.svg.setAttribute("height", this.view.height * this.scale);
    this.moveMap();
  }

  zoom(scale, event) {
    const { frame } = this, box = frame.getBoundingClientRect();
    const dx = event ? event.clientX - box.left : frame.clientWidth / 2, dy = event ? event.clientY - box.top : frame.clientHeight / 2;
    const old = this.scale, x = (frame.scrollLeft + dx) / old, y = (frame.scrollTop + dy) / old;
    this.scale = Math.min(4, Math.max(0.1, scale));
    this.resize();
    frame.scrollLeft = x * this.scale - dx;
    frame.scrollTop = y * this.scale - dy;
  }

  fit() {
    const { view, frame } = this, tall = (parseFloat(getComputedStyle(frame).maxHeight) || window.innerHeight - 255) - 2;
    this.zoom(Math.min(frame.clientWidth / view.width, tall / view.height));
  }

  drag() {
    let start = null;
    this.frame.addEventListener("pointerdown", (event) => {
      this.dragged = false;
      if (event.button === 0 && event.pointerType === "mouse") start = [event.clientX, event.clientY, this.frame.scrollLeft, this.frame.scrollTop];
    });
    window.addEventListener("pointermove", (event) => {
      if (!start) return;
      const dx = event.clientX - start[0], dy = event.clientY - start[1];
      if (Math.hypot(dx, dy) > FAR) this.dragged = true;
      if (!this.dragged) return;
      this.frame.scrollLeft = start[2] - dx;
      this.frame.scrollTop = start[3] - dy;
    });
    window.addEventListener("pointerup", () => { start = null; });
  }

  // A small plan of the whole, for trees that do not fit the frame.
  drawMap() {
    const map = this.find(".map");
    if (!map) return;
    const { view } = this, [width, height] = view.data.size;
    map.setAttribute("viewBox", `0 0 ${view.width} ${view.height}`);
    map.replaceChildren(...view.order.map((n) => make("rect", {
      class: `f-${view.role(n)}`, x: view.at.x.get(n), y: view.at.y.get(n), width, height })));
    this.lens = make("rect", { class: "lens" });
    map.append(this.lens);
    map.onclick = (event) => {
      const box = map.getBoundingClientRect(), by = Math.min(box.width / view.width, box.height / view.height);
      this.frame.scrollLeft = (event.clientX - box.left) / by * this.scale - this.frame.clientWidth / 2;
      this.frame.scrollTop = (event.clientY - box.top) / by * this.scale - this.frame.clientHeight / 2;
    };
    this.moveMap();
  }

  moveMap() {
    if (!this.lens) return;
    const { frame, scale } = this, sides = { x: frame.scrollLeft, y: frame.scrollTop, width: frame.clientWidth, height: frame.clientHeight };
    const all = frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight;
    this.lens.parentNode.classList.toggle("gone", all);
    for (const [name, value] of Object.entries(sides)) this.lens.setAttribute(name, value / scale);
  }

  // The picture as it stands, as a file: with its colours written out, since a file has no style sheet.
  save() {
    const { svg } = this.view, copy = svg.cloneNode(true), copies = copy.querySelectorAll("*");
    svg.querySelectorAll("*").forEach((element, place) => {
      const style = getComputedStyle(element), names = element.getAttribute("class") || "";
      if (/\bf-/.test(names)) copies[place].setAttribute("fill", style.fill);
      if (/\bs-/.test(names)) copies[place].setAttribute("stroke", style.stroke);
    });
    for (const gone of copy.querySelectorAll(".gone, .fold, defs")) gone.remove();
    for (const element of copy.querySelectorAll("*")) {
      for (const name of ["class", "role", "tabindex", "data-n", "data-w"]) element.removeAttribute(name);
    }
    const paper = make("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor });
    copy.prepend(paper);
    copy.setAttribute("fill", getComputedStyle(svg).fill);
    copy.setAttribute("width", this.view.width);
    copy.setAttribute("height", this.view.height);
    copy.removeAttribute("class");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
    link.download = "tree.svg";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}
