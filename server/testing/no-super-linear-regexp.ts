/**
 * A rule of the linter: a regular expression takes linear time. It checks regular expression literals, texts passed to
 * `RegExp`, `pattern` in schemas, and constants named `…PATTERN`. It cannot check an expression that is composed at run
 * time, so a comment there says why the expression is linear, or what limits its text.
 */

import { analyse, type Report } from 'scslre'

/** The parts of a syntax tree that the rule reads. */
interface Node {
  readonly type: string
  readonly name?: string
  readonly value?: unknown
  readonly regex?: { readonly pattern: string; readonly flags: string }
}
interface RequestContext extends Node {
  readonly callee: Node
  readonly arguments: readonly Node[]
}
interface Property extends Node {
  readonly key: Node
  readonly value: Node
}
interface Declarator extends Node {
  readonly id: Node
  readonly init: Node | null
}

interface Context {
  report(problem: { node: never; message: string }): void
}

const UNKNOWN = 'The expression is made while the program runs; say beside it why its time is linear in the text.'

/** The flags with which schemas compile their patterns. */
const FLAGS_OF_SCHEMAS = 'u'

const rule = {
  create(context: Context) {
    const refuse = (node: Node, message: string) => context.report({ node: node as never, message }) // a node of the linter
    const check = (node: Node, source: string, flags: string) => {
      const [report] = analyse({ source, flags }, { maxReports: 1 }).reports
      if (report !== undefined) refuse(node, explain(report))
    }
    const checkText = (node: Node | null, flags: string) => {
      if (typeof node?.value === 'string') check(node, node.value, flags)
    }
    const checkCall = ({ callee, arguments: [source, flags] }: RequestContext) => {
      if (callee.name !== 'RegExp' || source === undefined) return
      if (source.type === 'Literal') checkText(source, String(flags?.value ?? ''))
      else refuse(source, UNKNOWN)
    }
    return {
      Literal(node: Node) {
        if (node.regex) check(node, node.regex.pattern, node.regex.flags)
      },
      NewExpression: checkCall,
      CallExpression: checkCall,
      Property({ key, value }: Property) {
        if (key.name === 'pattern') checkText(value, FLAGS_OF_SCHEMAS)
      },
      VariableDeclarator({ id, init }: Declarator) {
        if (id.name?.endsWith('PATTERN') === true) checkText(init, FLAGS_OF_SCHEMAS)
      },
    }
  },
}

function explain({ type, character, exponential }: Report): string {
  const cause =
    type === 'Move'
      ? 'it starts anew at each character of such a run'
      : 'two of its parts can match the same characters'
  return `Time is ${exponential ? 'exponential' : 'quadratic'} on a run of "${character.pick}": ${cause}.`
}

export default { meta: { name: 'relata' }, rules: { 'no-super-linear-regexp': rule } }
