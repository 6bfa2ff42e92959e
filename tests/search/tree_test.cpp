#include "penumbra/search/tree.h"

#include <gtest/gtest.h>

namespace penumbra::search {
namespace {

struct Nothing {};
using PlainTree = Tree<Nothing, Nothing>;

const std::byte* bytes(const int& value) {
  return reinterpret_cast<const std::byte*>(&value);
}

TEST(Tree, FindsWhatWasAdded) {
  PlainTree tree(sizeof(int), sizeof(int));
  for (int round = 0; round < 2; ++round) {  // memory is kept, what was in it is not
    tree.clear();
    const int a = 7, e = tree.add_edge(0, bytes(a));
    for (int o = 0; o < 3000; ++o) {
      EXPECT_EQ(tree.find(e, bytes(o)), -1);
      EXPECT_EQ(tree.add_belief(e, bytes(o)), o + 1);
    }
    for (int o = 0; o < 3000; ++o) EXPECT_EQ(tree.find(e, bytes(o)), o + 1);
    EXPECT_EQ(tree.edge(e).num_children, 3000);
    EXPECT_EQ(tree.belief(3000).depth, 1);
  }
}

TEST(Tree, ChildrenOfDifferentEdgesAreApart) {
  PlainTree tree(sizeof(int), sizeof(int));
  tree.clear();
  std::vector<int> edges;
  for (int a = 0; a < 20; ++a) edges.push_back(tree.add_edge(0, bytes(a)));
  for (int o = 0; o < 50; ++o)
    for (int e : edges) tree.add_belief(e, bytes(o));
  for (int o = 0; o < 50; ++o)
    for (int e : edges) EXPECT_EQ(tree.belief(tree.find(e, bytes(o))).edge, e);
  EXPECT_EQ(tree.belief(0).num_edges, 20);
}

}  // namespace
}  // namespace penumbra::search
