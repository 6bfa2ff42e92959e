// Episodes step by step: the drawing, what was done and seen, and the node of the controller.

class Player {
  // `show(node)`: chooses the node in the graph, where the episode was played by the controller.
  constructor(episodes, show) {
    this.episodes = episodes;
    this.show = show;
    this.truth = true;
    const button = (text, label, action) => el('button', { type: 'button', text, title: label, 'aria-label': label, onclick: action });
    this.choice = el('select', { 'aria-label': 'Episode', onchange: () => this.open(+this.choice.value) },
      episodes.map((e, i) => el('option', { value: i, text: `episode ${e.number}: return ${number(e.return)}` })));
    this.slider = el('input', { type: 'range', min: 0, 'aria-label': 'Step', oninput: () => this.go(+this.slider.value) });
    this.playButton = button('play', 'Play', () => this.toggle());
    this.where = el('output', {});
    this.stage = el('div', { class: 'stage' });
    this.words = el('div', { class: 'words', 'aria-live': 'polite' });
    this.list = el('ol', { class: 'steps', start: 0, 'aria-label': 'Steps' });
    this.root = el('div', { class: 'player', tabindex: 0, role: 'group', 'aria-label': 'Player of episodes. Arrow keys step, space plays.',
      onkeydown: e => this.key(e) }, [
      el('div', { class: 'bar' }, [this.choice, button('|◀', 'First step', () => this.go(0)), button('◀', 'Back', () => this.go(this.t - 1)),
        button('▶', 'On', () => this.go(this.t + 1)), button('▶|', 'Last step', () => this.go(Infinity)), this.playButton,
        this.slider, this.where,
        el('label', { class: 'choice' }, [el('input', { type: 'checkbox', checked: true, onchange: e => { this.truth = e.target.checked; this.draw(); } }), 'show the truth'])]),
      el('div', { class: 'split' }, [el('div', {}, [this.stage, this.help = el('p', { class: 'note' })]), el('div', { class: 'panel' }, [this.words, this.list])]),
      this.tree = el('div', { class: 'plan-tree' }),
    ]);
    this.open(0);
  }

  open(i) {
    this.e = this.episodes[i];
    this.scene = isNumber(this.e.scene) ? report.scenes[this.e.scene] : null;
    this.slider.max = this.e.steps.length;
    this.help.textContent = !this.scene ? '' : (sceneHelp[this.scene.kind] || '')
      + ` Beliefs are those of a particle filter that sees what the policy sees${this.e.particles ? ` (${whole(this.e.particles)} particles)` : ''}.`;
    this.list.replaceChildren(...this.e.steps.map((s, t) => el('li', {}, el('button', { type: 'button', tabindex: -1, onclick: () => this.go(t + 1) }, [
      el('span', { class: 'grow', text: `${s.action} → ${s.seen}` }), s.reward ? el('b', { class: s.reward > 0 ? 'plus' : 'minus', text: number(s.reward, 1) }) : null]))));
    this.go(0);
  }

  go(t) {
    this.t = clamp(t, 0, this.e.steps.length);
    if (this.t === this.e.steps.length) this.stop();
    this.draw();
  }

  draw() {
    const { e, t } = this, last = t > 0 ? e.steps[t - 1] : null, next = e.steps[t], moment = e.moments && e.moments[t];
    const painter = this.scene && scenes[this.scene.kind];
    this.slider.value = t;
    this.where.textContent = `step ${t} of ${e.steps.length}`;
    const state = next ? next.state : last ? last.next : '';
    this.stage.replaceChildren(painter && moment ? painter(this.scene, e, t, this.truth) : el('pre', { text: this.truth ? state : '' }));
    let total = 0;
    for (let i = t - 1; i >= 0; --i) total = e.steps[i].reward + e.discount * total;
    const node = next ? next.node : undefined;
    this.words.replaceChildren(
      el('p', {}, last ? ['Did ', el('b', { text: last.action }), ', saw ', el('b', { text: last.seen }),
        `, reward ${number(last.reward, 1)}.`] : 'The episode begins.'),
      el('p', {}, next ? ['Will do ', el('b', { text: next.action }), '.'] : e.ended ? 'The episode has ended.' : 'Cut here.'),
      el('p', { class: 'note', text: `Return so far ${number(total)} of ${number(e.return)}.${this.truth && state ? ` State: ${state}.` : ''}` }),
      moment && moment.lost ? el('p', { class: 'warning', text: 'No particle explained the observation: the filter began anew.' }) : '',
      isNumber(node) && this.show ? el('button', { type: 'button', class: 'link', text: `node ${node} in the graph`, onclick: () => this.show(node, true) }) : '');
    if (isNumber(node) && this.show) this.show(node, false);
    this.tree.replaceChildren(next && next.tree ? planTree(next) : '');
    [...this.list.children].forEach((li, i) => li.classList.toggle('now', i === t - 1));
    const now = this.list.children[t - 1];
    if (now) this.list.scrollTop = now.offsetTop - this.list.clientHeight / 2;
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.t === this.e.steps.length) this.go(0);
    this.timer = setInterval(() => this.go(this.t + 1), 700);
    this.playButton.textContent = 'pause';
    this.playButton.setAttribute('aria-label', 'Pause');
  }
  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.textContent = 'play';
    this.playButton.setAttribute('aria-label', 'Play');
  }

  key(e) {
    if (['SELECT', 'INPUT'].includes(e.target.tagName) && e.target.type !== 'checkbox') return;
    const act = { ArrowLeft: () => this.go(this.t - 1), ArrowRight: () => this.go(this.t + 1), Home: () => this.go(0),
      End: () => this.go(Infinity), ' ': () => this.toggle() }[e.key];
    if (!act || (e.key === ' ' && e.target !== this.root)) return;
    e.preventDefault();
    act();
  }
}
