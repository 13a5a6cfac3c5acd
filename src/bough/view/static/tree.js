"use strict";
// The tree of a page: what is open, where everything stands, and cards of nodes that are drawn late.

const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
}

// 100% means all of them, so 99.7% is cut to 99%.
function percent(share) {
  return share === 1 ? "100%" : `${Math.round(100 * Math.min(share, 0.99))}%`;
}

function figure(x) {
  return x === null ? "–" : String(Number(x.toPrecision(4)));
}

function rowsText(x) {
  return x.toLocaleString("en-US", { maximumFractionDigits: 1 });
}

// The 95 % interval of a share, by Wilson's score.
function wilson(hits, n) {
  const z = 1.959963984540054, share = hits / n;
  const middle = (share + z * z / (2 * n)) / (1 + z * z / n);
  const half = z / (1 + z * z / n) * Math.sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return [hits <= 0 ? 0 : middle - half, hits >= n ? 1 : middle + half];
}

class TreeView {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.nodes = data.nodes;
    this.svg = root.querySelector("svg.tree");
    this.edgeLayer = this.svg.querySelector(".edges");
    this.nodeLayer = this.svg.querySelector(".nodes");
    this.open = new Set(data.open);
    this.card = new Map();
    this.edge = new Map();
    for (const g of this.nodeLayer.children) this.card.set(Number(g.dataset.n), g);
    for (const g of this.edgeLayer.children) this.edge.set(Number(g.dataset.n), g);
    this.parent = new Array(this.nodes.feature.length).fill(-1);
    this.nodes.first.forEach((first, n) => {
      for (let c = 0; c < this.nodes.children[n]; c++) this.parent[first + c] = n;
    });
    this.later = new Map(data.later.nodes.map((row) => [row[0], row]));
    this.rules = new Map(Object.entries(data.later.rules).map(([n, rule]) => [Number(n), rule]));
    this.order = [];
    this.place();
  }

  children(n) {
    const first = this.nodes.first[n];
    return Array.from({ length: this.nodes.children[n] }, (_, c) => first + c);
  }

  isLeaf(n) { return this.nodes.children[n] === 0; }

  path(n) {
    const way = [];
    for (let at = n; at >= 0; at = this.parent[at]) way.push(at);
    return way.reverse();
  }

  // The node itself, or the folded one above it.
  visible(n) {
    return this.path(n).find((above) => !this.open.has(above) || above === n);
  }

  fold(n, open = !this.open.has(n)) {
    if (this.isLeaf(n)) return;
    if (open) this.open.add(n); else this.open.delete(n);
    this.place();
  }

  reveal(n) {
    for (const above of this.path(n).slice(0, -1)) this.open.add(above);
    this.place();
  }

  // Leaves stand one below the other, parents in the middle of their children.
  place() {
    const { data } = this, [width, height, gap] = data.size, pitch = height + gap;
    const focus = document.activeElement;
    this.order = [];
    const stack = [data.root];
    while (stack.length) {
      const n = stack.pop();
      this.order.push(n);
      if (!this.card.has(n)) this.draw(n);
      if (this.open.has(n)) stack.push(...this.children(n).reverse());
    }
    const top = this.depth(data.root), gaps = [];
    for (const n of this.order.slice(1)) {
      const level = this.depth(n) - top;
      gaps[level] = Math.max(gaps[level] || 0, Number(this.edge.get(n).dataset.w));
    }
    const left = [data.margin];
    for (let level = 1; level < gaps.length; level++) left[level] = left[level - 1] + width + data.bend + gaps[level];
    const y = new Map(), x = new Map();
    let row = 0;
    for (const n of this.order) {
      x.set(n, left[this.depth(n) - top]);
      if (!this.open.has(n)) y.set(n, data.margin + pitch * row++);
    }
    for (const n of [...this.order].reverse()) {
      if (!this.open.has(n)) continue;
      const below = this.children(n);
      y.set(n, (y.get(below[0]) + y.get(below[below.length - 1])) / 2);
    }
    let right = 0;
    const shown = new Set(this.order);
    for (const [n, g] of this.card) g.classList.toggle("gone", !shown.has(n));
    for (const [n, g] of this.edge) g.classList.toggle("gone", !shown.has(n));
    for (const n of this.order) {
      right = Math.max(right, x.get(n) + width + this.write(n));
      const card = this.card.get(n);
      card.setAttribute("transform", `translate(${x.get(n)} ${y.get(n)})`);
      this.nodeLayer.append(card);
      if (n === data.root) continue;
      const above = this.parent[n], edge = this.edge.get(n), middle = y.get(n) + height / 2;
      const x0 = x.get(above) + width, y0 = y.get(above) + height / 2, turn = x0 + data.bend / 2;
      edge.firstChild.setAttribute("d", `M${x0} ${y0}C${turn} ${y0} ${turn} ${middle} ${x0 + data.bend} ${middle}H${x.get(n)}`);
      edge.lastChild.setAttribute("transform", `translate(${x.get(n)} ${middle})`);
    }
    if (focus && focus !== document.activeElement && this.nodeLayer.contains(focus)) focus.focus();
    this.width = Math.ceil(right + data.margin);
    this.height = (row - 1) * pitch + height + 2 * data.margin;
    this.at = { x, y };
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    if (this.placed) this.placed();
  }

  depth(n) { return this.path(n).length - 1; }

  // The handle's sign, what a folded node hides, and the state that screen readers tell; the room it takes.
  write(n) {
    if (this.isLeaf(n)) return 0;
    const card = this.card.get(n), open = this.open.has(n);
    card.setAttribute("aria-expanded", String(open));
    card.querySelector(".fold path").setAttribute("d", open ? "M-3 0h6" : "M-3 0h6M0-3v6");
    let more = card.querySelector(".more");
    const leaves = this.nodes.leaves[n].toLocaleString("en-US"), [width, height] = this.data.size;
    if (!more) {
      more = make("text", { class: "more f-soft", x: width + 12, y: height / 2 + 4 });
      card.append(more);
    }
    more.textContent = open ? "" : `+${leaves} leaves`;
    return open ? 9 : 18 + 7 * more.textContent.length;
  }

  // A small card, for nodes that were folded when the page was written.
  draw(n) {
    const { data, nodes } = this, [width, height] = data.size, texts = data.later.texts;
    const [, name, size, label, labelWidth, pill, pillWidth, step] = this.later.get(n);
    const leaf = this.isLeaf(n), above = this.parent[n];
    const rule = [this.rules.get(above), texts[step]].filter(Boolean).join(" and ");
    this.rules.set(n, rule);
    const asks = leaf ? "" : `. Asks for ${data.columns[nodes.feature[n]].name}`;
    const card = make("g", {
      class: `node ${leaf ? "leaf" : "split"}`, "data-n": n, role: "treeitem", tabindex: -1,
      "aria-level": this.depth(n) + 1, "aria-setsize": nodes.children[above],
      "aria-posinset": n - nodes.first[above] + 1, "aria-label": `If ${rule}: ${this.verdict(n)}${asks}`,
    });
    card.append(make("rect", { class: `box f-card s-${leaf ? "strong" : "line"}`, width, height, rx: 5 }));
    if (leaf) card.append(make("rect", { class: `f-${this.role(n)}`, width: 6, height, rx: 3 }));
    const left = leaf ? 11 : 7, right = width - (leaf ? 7 : 12), tall = height > 30;
    card.append(make("text", { x: left, y: tall ? 16 : 14, "font-weight": "bold" }, texts[name]));
    card.append(make("text", { class: "f-soft", x: right, y: tall ? height - 7 : 14, "text-anchor": "end" }, texts[size]));
    this.bar(card, n, left, tall ? 23 : 18, right - left, tall ? 8 : 3);
    if (!leaf) {
      const handle = make("g", { class: "fold", transform: `translate(${width} ${height / 2})` });
      handle.append(make("circle", { class: "f-card s-edge", r: 7 }), make("path", { class: "s-ink" }));
      card.append(handle);
    }
    const thick = 1.25 + 7 * Math.sqrt(nodes.weight[n] / (nodes.weight[0] || 1));
    const edge = make("g", { class: "edge", "data-n": n, "data-w": labelWidth + 10 + (pillWidth ? pillWidth + 16 : 0) });
    edge.append(make("path", { class: "s-edge", fill: "none", "stroke-width": thick }));
    const said = make("g"), base = -(thick / 2 + 4), room = pillWidth ? pillWidth + 10 : 0;
    if (room) {
      said.append(make("rect", { class: "f-paper s-strong", x: -5 - room, y: base - 11, width: room, height: 14, rx: 7, "stroke-dasharray": "3 2" }));
      said.append(make("text", { x: -5 - room / 2, y: base, "text-anchor": "middle" }, texts[pill]));
    }
    said.append(make("text", { x: room ? -10 - room : -5, y: base, "text-anchor": "end" }, texts[label]));
    edge.append(said);
    this.card.set(n, card);
    this.edge.set(n, edge);
    this.edgeLayer.append(edge);
  }

  role(n) { return this.data.classes ? this.data.roles[this.nodes.answer[n]] : "value"; }

  bar(card, n, x, y, width, height) {
    const { data, nodes } = this, value = nodes.value[n];
    if (!data.classes) {
      const [low, high] = data.axis, at = high > low ? (value[0] - low) / (high - low) * width : 0;
      card.append(make("rect", { class: "f-line", x, y: y + 1, width, height: 1 }));
      card.append(make("rect", { class: "f-ink", x: x + at - 1, y: y - 2, width: 2, height: height + 3 }));
      return;
    }
    let left = x;
    for (const group of data.groups) {
      const part = group.reduce((sum, c) => sum + value[c], 0) / (nodes.weight[n] || 1) * width;
      if (part > 0) card.append(make("rect", { class: `f-${data.roles[group[0]]}`, x: left, y, width: part, height }));
      left += part;
    }
  }

  verdict(n) {
    const { data, nodes } = this, weight = nodes.weight[n], value = nodes.value[n];
    if (!nodes.rows[n]) return "no training rows; the answer of the node above";
    if (!data.classes) return `${figure(value[0])} ± ${figure(Math.sqrt(Math.max(0, nodes.impurity[n])))} (${rowsText(weight)} ${weight === 1 ? "row" : "rows"})`;
    const hits = value[nodes.answer[n]], most = weight * nodes.rows[0] / nodes.weight[0];
    const [low, high] = wilson(hits / weight * most, most);
    const between = `${percent(low).slice(0, -1)}–${percent(high)}`;
    return `${data.classes[nodes.answer[n]]}, ${percent(hits / weight)} (${rowsText(hits)} of ${rowsText(weight)} ${weight === 1 ? "row" : "rows"}, 95% interval ${between})`;
  }
}
