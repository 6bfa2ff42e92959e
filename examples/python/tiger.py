"""Tiger in ten lines: make a problem, solve it, look at what came out."""
import penumbra as pn

solution = pn.solve("tiger", time="5s")
print(solution)

agent = solution.policy.agent()
for heard in ("hear-left", "hear-left", "hear-right"):
    print("does", solution.model.actions[agent.act()], "and hears", heard)
    agent.update(heard)

print(pn.evaluate("tiger", solution, episodes=10_000))
