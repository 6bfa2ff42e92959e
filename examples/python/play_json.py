"""A controller from `penumbra export -o robot.json`, played without Penumbra: nothing but the
standard library. A robot in another language reads the same file the same way.

    penumbra export ld.policy -o ld.json
    python3 play_json.py ld.json            # type what was seen, line by line
"""
import json
import math
import sys


class Controller:
    """act() says what to do; see(observation) takes the number of an observation, or the floats of
    one where the file says how these are grouped. Its whole memory is `node`."""

    def __init__(self, text):
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("format") != "penumbra-controller" or data.get("version") != 1:
            raise ValueError("this is no controller of penumbra export")
        self.nodes, self.start = data["nodes"], data["start"]
        self.actions, self.observations = data["actions"], data["observations"]
        self.values, self.groups = data.get("action_values"), data["discretiser"]
        self.node = self.start

    def act(self):
        """The number of an action, or the floats of one."""
        action = self.nodes[self.node]["action"]
        return self.values[action] if self.values else action

    def see(self, observation):
        """An observation that does not exist, or is no number, leaves the node as it is."""
        if not isinstance(observation, int):
            if not all(math.isfinite(x) for x in observation):
                return
            observation = self.group(observation)
        following = self.nodes[self.node]["next"]
        if 0 <= observation < len(following):
            self.node = following[observation]

    def group(self, seen):
        """The number of an observation that is floats."""
        if self.groups is None:
            raise ValueError("observations of this controller are numbers")
        if len(seen) != self.groups["dimension"]:
            raise ValueError(f"an observation has {self.groups['dimension']} floats")
        if "trees" in self.groups:
            action = self.nodes[self.node]["action"]
            tree = self.groups["trees"][self.groups["tree_of_action"][action]]
            at = 0 if tree else -1
            while at >= 0:
                coordinate, bound, below, above = tree[at]
                at = below if seen[coordinate] < bound else above
            return ~at
        units = self.groups.get("units", [1] * len(seen))

        def distance(centre):
            return sum(((x - c) / u) ** 2 for x, c, u in zip(seen, centre, units))

        centres = self.groups["centres"]
        return min(range(len(centres)), key=lambda i: distance(centres[i]))


def main(robot):
    while True:
        action = robot.act()
        print("do", action if robot.values else robot.actions[action], flush=True)
        line = sys.stdin.readline()
        if not line:
            break
        try:
            words = line.split()
            robot.see([float(w) for w in words] if robot.groups else int(words[0]))
        except (ValueError, IndexError) as problem:
            wanted = f"{robot.groups['dimension']} floats" if robot.groups else "one whole number"
            print(f"not an observation ({problem}): type {wanted}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 play_json.py CONTROLLER.json")
    try:
        with open(sys.argv[1], encoding="utf-8") as controller:
            played = Controller(controller.read())
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    try:
        main(played)
    except (KeyboardInterrupt, BrokenPipeError):
        pass
