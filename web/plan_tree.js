// What a planner thought before one step: its tree as rows, actions and observations in turn.
// A row is [level, label, share, value, lower, upper, chosen].

function planTree(step) {
  const d = step.decision, rows = step.tree.map(([level, label, share, value, lower, upper, chosen]) => ({ level, label, share, value, lower, upper, chosen }));
  const bounded = rows.some(r => isNumber(r.lower) && isNumber(r.upper));
  // Bounds of what was hardly looked at are wide: the scale is that of the root and of what is kept.
  const ends = rows.filter(r => r.level <= 1).flatMap(r => bounded ? [r.lower, r.upper] : [r.value]).filter(isNumber);
  const low = Math.min(...ends), high = Math.max(...ends), at = v => 100 * clamp((v - low) / (high - low || 1), 0, 1);
  const track = r => {
    if (!bounded) return el('span', { class: 'plan-track' }, el('i', { class: 'visits', style: `left:0;width:${100 * clamp(r.share, 0, 1)}%` }));
    const left = at(r.lower), right = at(r.upper);
    return el('span', { class: 'plan-track' }, [el('i', { style: `left:${left}%;width:${Math.max(right - left, 0.6)}%` })]);
  };
  const row = r => el('tr', { class: r.chosen ? 'chosen' : '' }, [
    el('th', { scope: 'row', style: `padding-left:${8 + 20 * r.level}px` }, [r.level % 2 ? null : r.level ? 'sees ' : null, r.level ? r.label : 'now', r.chosen ? ' \u2713' : null]),
    el('td', { text: r.level % 2 && bounded ? '' : percent(r.share) }),
    el('td', { text: bounded ? `${number(r.lower)} to ${number(r.upper)}` : number(r.value) }),
    el('td', { class: 'wide' }, track(r))]);
  const facts = [`worth ${number(d.value)}`, isNumber(d.lower) && isNumber(d.upper) ? `between ${number(d.lower)} and ${number(d.upper)}` : '',
    `${whole(d.simulations)} descents`, `${whole(d.beliefs)} beliefs`, `depth ${d.depth}`, `${whole(d.steps)} simulated steps`].filter(Boolean);
  return el('details', { open: true }, [
    el('summary', { text: `The plan for this step: ${facts.join(', ')}${d.by_search ? '' : '; the action is the one without a search'}` }),
    rows.length ? el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Tree of the planner' }, el('table', {}, [
      el('thead', {}, el('tr', {}, ['action, observation', bounded ? 'chance' : 'visits', bounded ? 'lower to upper' : 'value', bounded ? `from ${number(low)} to ${number(high)}` : '']
        .map(text => el('th', { text })))),
      el('tbody', {}, rows.map(row))])) : el('p', { class: 'empty', text: 'There was no tree.' }),
    el('p', { class: 'note', text: (bounded ? 'Bounds are estimates from the states of the search.' : 'Values are means over descents.')
      + ' Below the chosen action: what may be seen, and what would be done then. Shares are among siblings.' }),
  ]);
}
