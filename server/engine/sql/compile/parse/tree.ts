/** The tree that the parser returns: nodes are objects with one member, their type, such as `{"ColumnRef": {…}}`. */

export type Tree = string | number | boolean | null | undefined | readonly Tree[] | Members

/** The members of a node. The parser leaves out members that are 0, false or empty. */
export interface Members {
  readonly [name: string]: Tree
}

export interface Node {
  readonly type: string
  readonly members: Members
}

export const isMembers = (tree: Tree): tree is Members =>
  typeof tree === 'object' && tree !== null && !Array.isArray(tree)

/** The node of an object with one member. Undefined for everything else. */
export function nodeOf(tree: Tree): Node | undefined {
  if (!isMembers(tree)) return undefined
  const [entry, ...others] = Object.entries(tree)
  return entry && others.length === 0 && isMembers(entry[1]) ? { type: entry[0], members: entry[1] } : undefined
}

/** The members of a node of one type. */
export function membersOf(tree: Tree, type: string): Members | undefined {
  const node = nodeOf(tree)
  return node?.type === type ? node.members : undefined
}

/** The members of the nodes of one type in a list. */
export function nodesOf(tree: Tree, type: string): Members[] {
  const found: Members[] = []
  for (const item of itemsOf(tree)) {
    const members = membersOf(item, type)
    if (members) found.push(members)
  }
  return found
}

/** The items of a member that is a list. Other members count as empty. */
export const itemsOf = (tree: Tree): readonly Tree[] => (Array.isArray(tree) ? tree : [])

/** The texts of a list of names. Undefined stands for `*` and for what has no name. */
export const namesOf = (tree: Tree): (string | undefined)[] => itemsOf(tree).map(nameOf)

/** The text of a `String` node. The parser leaves out an empty one. */
export function nameOf(tree: Tree): string | undefined {
  const members = membersOf(tree, 'String')
  return members === undefined ? undefined : textOf(members.sval)
}

export const textOf = (tree: Tree): string => (typeof tree === 'string' ? tree : '')

/** The offset at which a node begins. The parser leaves out 0, and writes -1 where it has no offset. */
export function offsetOf(members: Members): number | null {
  const { location } = members
  if (location === undefined) return 0
  return typeof location === 'number' && location >= 0 ? location : null
}
