// All that is known of a node, and the way of a row that the reader types in.

const LEAF = 0, THRESHOLD = 1, MULTIWAY = 3, STAY = -1, SPREAD = -2;

// What leads to a node, nothing left out.
function branchWords(view, n) {
  const { nodes, data } = view, above = view.parent[n], column = data.columns[nodes.feature[above]];
  const child = n - nodes.first[above], kind = nodes.kind[above];
  if (kind === THRESHOLD) {
    if (child === 2) return "missing";
    if (nodes.threshold[above] === null) return child ? "missing" : "known";
    return `${child ? ">" : "≤"} ${valueText(column, nodes.threshold[above])}`;
  }
  if (kind === MULTIWAY) return child < column.categories.length ? column.categories[child] : "missing";
  const pairs = data.branches[above] || [], names = [];
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i + 1] === child) names.push(column.categories[pairs[i]]);
  return names.sort().join(", ") || "missing";
}

function valueText(column, value) {
  if (column.categories) return column.categories[Math.floor(value)];
  if (column.kind === "datetime") return new Date(value / 1000).toISOString().replace("T", " ").replace(/( 00:00:00)?\.000Z$/, "");
  return String(value);
}

function html(tag, text = "", attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function table(rows) {
  const whole = html("table");
  for (const row of rows) {
    const line = html("tr");
    row.forEach((cell, i) => line.append(html(i ? "td" : "th", cell, i ? {} : { scope: "row" })));
    whole.append(line);
  }
  return whole;
}

function inspect(panel, view, n) {
  panel.hidden = n === null;
  if (n === null) return panel.replaceChildren();
  const { nodes, data } = view, parts = [], asks = nodes.feature[n] >= 0 ? data.columns[nodes.feature[n]].name : null;
  parts.push(html("h3", `Node ${n} · ${asks === null ? "answer" : `${asks} ?`}`));
  const steps = view.path(n).slice(1).map((at) => `${data.columns[nodes.feature[view.parent[at]]].name}: ${branchWords(view, at)}`);
  if (steps.length) {
    const list = html("ol");
    list.append(...steps.map((step) => html("li", step)));
    parts.push(list);
  }
  const facts = [["rows", `${rowsText(nodes.rows[n])} (${percent(nodes.weight[n] / nodes.weight[0])} of all)`]];
  if (nodes.rows[n] !== nodes.weight[n]) facts.push(["weight", figure(nodes.weight[n])]);
  if (data.classes) {
    const shares = data.classes.map((name, c) => [name, nodes.value[n][c]]).filter(([, value]) => value > 0);
    for (const [name, value] of shares) facts.push([name, `${rowsText(value)} · ${percent(value / nodes.weight[n])}`]);
    facts.push([{ G: "Gini", H: "entropy" }[data.sign] || "impurity", String(nodes.impurity[n])]);
  } else {
    facts.push(["mean", String(nodes.value[n][0])], ["variance", String(nodes.impurity[n])]);
  }
  if (asks !== null) {
    facts.push(["gain", String(nodes.gain[n])], ["missing here", rowsText(nodes.gone[n])], ["missing goes", missingWords(view, n)]);
    for (const child of view.children(n)) facts.push([branchWords(view, child), `${rowsText(nodes.rows[child])} rows`]);
  }
  parts.push(table(facts));
  panel.replaceChildren(...parts);
}

function missingWords(view, n) {
  const { nodes, data } = view, goes = nodes.missing[n];
  if (goes === SPREAD) return "to every branch, by its size";
  const last = goes === STAY ? "stays here" : `with ${branchWords(view, nodes.first[n] + goes)}`;
  const others = (data.surrogates[n] || []).map(([feature]) => data.columns[feature].name);
  return others.length ? `as ${others.join(", ")} say; else ${last}` : last;
}

class Trace {
  constructor(root, view, tools) {
    this.view = view;
    this.form = root.querySelector(".trace form");
    this.output = root.querySelector(".trace output");
    const { columns } = view.data;
    this.inputs = new Map();
    columns.forEach((column, f) => {
      if (!column.used) return;
      const label = html("label", column.name), input = column.categories ? this.choice(column) : this.number(column);
      label.append(input);
      this.inputs.set(f, input);
      this.form.prepend(label);
    });
    this.form.prepend(...[...this.form.querySelectorAll("label")].reverse());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const ends = this.ends();
      tools.trace(ends.map(([n]) => n));
      this.output.textContent = ends.map(([n, share]) => `${share < 1 ? `${percent(share)} of the row: ` : ""}${view.card.get(n).getAttribute("aria-label")}`).join(" — ");
    });
    this.form.addEventListener("reset", () => { this.output.textContent = ""; tools.pin(null); });
  }

  choice(column) {
    const select = html("select");
    select.append(html("option", "(missing)", { value: "" }));
    column.categories.forEach((name, code) => select.append(html("option", name, { value: code })));
    select.append(html("option", "(another)", { value: -1 }));
    return select;
  }

  number(column) {
    return html("input", "", column.kind === "datetime" ? { type: "datetime-local", step: 1 } : { type: "number", step: "any", placeholder: "missing" });
  }

  // null: missing; -1: a category that the model does not know.
  value(f) {
    const input = this.inputs.get(f);
    if (!input || input.value === "") return null;
    return input.type === "datetime-local" ? Date.parse(`${input.value}Z`) * 1000 : Number(input.value);
  }

  listed(pairs, value) {
    for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === value) return pairs[i + 1];
    return null;
  }

  // The child that takes the row; null where its value leads nowhere.
  known(n, value) {
    const { nodes, data } = this.view;
    if (value === null) return null;
    if (nodes.kind[n] === THRESHOLD) {
      if (data.columns[nodes.feature[n]].categories && value < 0) return null;
      return nodes.threshold[n] === null || value <= nodes.threshold[n] ? 0 : 1;
    }
    if (nodes.kind[n] === MULTIWAY) return value >= 0 ? value : null;
    return this.listed(data.branches[n] || [], value);
  }

  surrogate(n) {
    for (const [feature, isCut, threshold, first, pairs] of this.view.data.surrogates[n] || []) {
      const value = this.value(feature);
      if (value === null || value < 0 && this.view.data.columns[feature].categories) continue;
      const child = isCut ? (value <= threshold ? first : 1 - first) : this.listed(pairs, value);
      if (child !== null) return child;
    }
    return null;
  }

  way(n) {
    const { nodes, data } = this.view, value = this.value(nodes.feature[n]), child = this.known(n, value);
    if (child !== null) return child;
    if (data.unseen === "majority" && value !== null) {
      const weights = this.view.children(n).map((c) => nodes.weight[c]);
      return weights.indexOf(Math.max(...weights));
    }
    return this.surrogate(n) ?? nodes.missing[n];
  }

  // Nodes where the row ends, and how much of it.
  ends() {
    const { nodes } = this.view, found = [], open = [[0, 1]];
    while (open.length) {
      const [n, share] = open.pop();
      if (nodes.kind[n] === LEAF) { found.push([n, share]); continue; }
      const way = this.way(n);
      if (way === SPREAD) {
        const total = this.view.children(n).reduce((sum, c) => sum + nodes.weight[c], 0);
        for (const c of this.view.children(n)) if (nodes.weight[c] > 0) open.push([c, share * nodes.weight[c] / total]);
      } else if (way < 0) found.push([n, share]);
      else open.push([nodes.first[n] + way, share]);
    }
    return found.sort((a, b) => b[1] - a[1]);
  }
}

document.documentElement.classList.add("js");
for (const root of document.querySelectorAll(".bough")) {
  const view = new TreeView(root, JSON.parse(root.querySelector("script[type='application/json']").textContent));
  const tools = new Tools(root, view);
  new Trace(root, view, tools);
}
