/**
 * Finds the texts for people in a component or a module: in markup, in attributes, and in the literals of scripts. What counts as a
 * text is decided by its place and its form. See docs/decisions/languages.md.
 */

import { parse } from 'svelte/compiler'
import { parseSync } from 'vite'
import { NOT_TEXTS } from './not-texts'

/** A part of a text that the source computes: an expression, or an element in the middle of a text. */
export interface Placeholder {
  readonly name: string
  readonly start: number
  readonly end: number
}

export interface Text {
  /** The text in English, with its placeholders in braces: `Delete “{name}”?` */
  readonly message: string
  readonly placeholders: readonly Placeholder[]
  readonly start: number
  readonly end: number
  readonly form: 'markup' | 'attribute' | 'quoted' | 'template'
  /** False for a literal that looks like a code, which is a text only if the messages say so. */
  readonly isSure: boolean
}

/** A node of the syntax trees of Svelte and of scripts. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Source {
  readonly code: string
  readonly found: Text[]
}

/** The texts of a file, ordered by their start. A text may be inside of a placeholder of another one. */
export function findTexts(file: string, code: string): Text[] {
  const source: Source = { code, found: [] }
  for (const tree of treesOf(file, code)) visit(source, tree, [])
  return source.found.sort((a, b) => a.start - b.start || b.end - a.end)
}

/** Both parsers make nodes that have a type and a place. */
function treesOf(file: string, code: string): Node[] {
  if (file.endsWith('.svelte')) {
    const { fragment, instance, module } = parse(code, { modern: true })
    return [module?.content, instance?.content, fragment].filter((tree) => isNode(tree))
  }
  const { program, errors } = parseSync(file, code, { preserveParens: false })
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  return [program].filter((tree) => isNode(tree))
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** Members of nodes that are types, names or places. */
const NOT_VISITED = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'superTypeParameters',
  'superTypeArguments',
  'loc',
  'leadingComments',
  'trailingComments',
  'metadata',
])

const NOT_ENTERED = new Set([
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'ImportDeclaration',
  'ImportExpression',
  'ExportAllDeclaration',
  'StyleSheet',
  'Comment',
])

function visit(source: Source, node: Node, above: readonly Node[]): void {
  if (NOT_ENTERED.has(node.type)) return
  if (node.type === 'Attribute') return visitAttribute(source, node, above)
  if (node.type === 'Fragment') readMarkup(source, node, above)
  if (node.type === 'Literal') readLiteral(source, node, above)
  if (node.type === 'TemplateLiteral') readTemplate(source, node, above)
  visitChildren(source, node, above)
}

function visitChildren(source: Source, node: Node, above: readonly Node[]): void {
  const path = [...above, node]
  for (const [key, value] of Object.entries(node)) {
    if (NOT_VISITED.has(key)) continue
    if (key === 'key' && node.type === 'Property' && node.computed === false) continue
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(source, child, path)
  }
}

// Markup

const CODE_ELEMENTS = new Set(['code', 'pre', 'kbd', 'samp', 'script', 'style'])

/** Elements that stand between texts and are not in the middle of one. */
const isSeparate = (node: Node): boolean => {
  if (node.type === 'RegularElement') return SEPARATE_ELEMENTS.has(String(node.name))
  if (node.type === 'Component') return !INLINE_COMPONENTS.has(String(node.name))
  return !['Text', 'ExpressionTag', 'IfBlock'].includes(node.type)
}

const SEPARATE_ELEMENTS = new Set(
  'div p ul ol li dl dt dd table thead tbody tr td th section article header footer nav aside main form fieldset legend label input textarea select option button dialog details summary h1 h2 h3 h4 figure figcaption svg img video iframe menu hr br progress'.split(
    ' ',
  ),
)

/** Components that are words of a sentence. All others stand for themselves. */
const INLINE_COMPONENTS = new Set(['RelativeTime', 'Kbd', 'Mono', 'DurationText', 'ExternalLink'])

const hasWord = (text: string): boolean => /\p{L}/u.test(text)

function readMarkup(source: Source, fragment: Node, above: readonly Node[]): void {
  const parent = above.at(-1)
  if (parent?.type === 'RegularElement' && CODE_ELEMENTS.has(String(parent.name))) return
  const nodes = fragment.nodes as readonly Node[] // of every fragment
  for (const run of runsOf(nodes)) {
    if (!run.some((node) => node.type === 'Text' && hasWord(String(node.data)))) continue
    add(source, 'markup', run)
  }
}

/** The parts of a fragment between elements that separate texts, without white space and blocks at their ends. */
function runsOf(nodes: readonly Node[]): Node[][] {
  const runs: Node[][] = [[]]
  for (const node of nodes) {
    if (isSeparate(node)) runs.push([])
    else runs.at(-1)?.push(node)
  }
  const isOuter = (node: Node | undefined) =>
    node !== undefined && (node.type === 'IfBlock' || (node.type === 'Text' && String(node.data).trim() === ''))
  for (const run of runs) {
    while (isOuter(run[0])) run.shift()
    while (isOuter(run.at(-1))) run.pop()
  }
  return runs
}

// Attributes

const NOT_TEXT_ATTRIBUTES =
  /^(?:class|style|id|name|for|form|href|src|rel|type|role|d|points|transform|viewBox|target|autocomplete|inputmode|pattern|method|enctype|accept|kind|size|tone|width|height|icon|slot|as|key|align|side|placement|preserveAspectRatio|aria-(?:labelledby|describedby|keyshortcuts|controls|owns|live|haspopup|current|activedescendant)|data-.*)$/

function visitAttribute(source: Source, node: Node, above: readonly Node[]): void {
  const name = String(node.name)
  const { value } = node
  if (isNode(value)) {
    // A fixed code in an expression, such as type={a ? 'x' : 'y'}, has the form of one; see isText.
    return visit(source, value, [...above, node])
  }
  if (!Array.isArray(value)) return
  const parts = value.filter(isNode)
  const text = parts.map((part) => (part.type === 'Text' ? String(part.data) : '0')).join('')
  if (!NOT_TEXT_ATTRIBUTES.test(name) && isText(text)) add(source, 'attribute', parts)
  for (const part of parts) if (part.type !== 'Text') visit(source, part, [...above, node])
}

// Scripts

/** Functions whose arguments are never texts. */
const NOT_TEXT_CALLS =
  /^(?:querySelector(?:All)?|getElementById|(?:add|remove)EventListener|(?:get|set|remove)(?:Item|Attribute)|toggleAttribute|includes|startsWith|endsWith|has|indexOf|split|replaceAll|replace|test|match|closest|matches|createElement(?:NS)?|URL|RegExp|Symbol|Intl\..*|supportedValuesOf|getPropertyValue|setProperty|dispatchEvent|Event|CustomEvent|KeyboardEvent)$/

const COMPARISONS = new Set(['===', '!==', '==', '!=', 'in', '<', '>', '<=', '>='])

function isNoPlaceOfTexts(node: Node, above: readonly Node[]): boolean {
  const parent = above.at(-1)
  if (parent === undefined) return false
  if (parent.type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)Expression$/.test(parent.type)) return true
  if (parent.type === 'BinaryExpression') return COMPARISONS.has(String(parent.operator))
  if (parent.type === 'SwitchCase') return parent.test === node
  if (parent.type === 'MemberExpression') return parent.property === node
  if (parent.type === 'ExpressionStatement' || parent.type === 'TaggedTemplateExpression') return true
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression') {
    return parent.callee !== node && NOT_TEXT_CALLS.test(calleeName(parent.callee))
  }
  if (parent.type === 'ExpressionTag' || parent.type === 'ConditionalExpression') return isInCodeAttribute(above)
  return false
}

const isInCodeAttribute = (above: readonly Node[]): boolean => {
  const attribute = above.findLast(({ type }) => type === 'Attribute' || type === 'Fragment')
  return attribute?.type === 'Attribute' && NOT_TEXT_ATTRIBUTES.test(String(attribute.name))
}

function readLiteral(source: Source, node: Node, above: readonly Node[]): void {
  const { value } = node
  if (typeof value !== 'string' || !hasWord(value) || isNoPlaceOfTexts(node, above)) return
  const { start, end } = node
  source.found.push({
    message: value,
    placeholders: [],
    start,
    end,
    form: 'quoted',
    isSure: isText(value) && !NOT_TEXTS.has(value),
  })
}

function readTemplate(source: Source, node: Node, above: readonly Node[]): void {
  if (isNoPlaceOfTexts(node, above)) return
  const quasis = node.quasis as readonly (Node & { readonly value: { readonly cooked: string } })[]
  const expressions = node.expressions as readonly Node[]
  const parts = quasis.map(({ value }) => value.cooked)
  if (!hasWord(parts.join(''))) return
  const placeholders = namedPlaceholders(expressions)
  const message = parts.map((part, index) => part + braced(placeholders[index])).join('')
  const { start, end } = node
  source.found.push({
    message,
    placeholders,
    start,
    end,
    form: 'template',
    isSure: isText(parts.join('0')) && !NOT_TEXTS.has(message),
  })
}

const braced = (placeholder: Placeholder | undefined): string => (placeholder ? `{${placeholder.name}}` : '')

/** Values of style sheets, and selectors. */
const STYLE = /(?:^|[\s(])(?:[\d.]+(?:rem|px|fr)|0px)\b|var\(--|:not\(|^\([a-z-]+: |^[a-z]+ > |^select\s/

const KEYS =
  /^(?:Shift|Ctrl|Control|Alt|Mod|Enter|Esc|Escape|Tab|Space|Backspace|F\d+|Arrow(?:Up|Down|Left|Right)|[↑↓←→]+)$/

/** The keys of a shortcut: `Shift F2`, `X Enter Delete`. */
function isShortcut(text: string): boolean {
  const [first = '', ...others] = text.split(/[\s+-]+/)
  const isKey = (key: string) => KEYS.test(key) || key.length === 1 || (others.length > 0 && key === 'Delete')
  return isKey(first) && others.every(isKey) && (KEYS.test(first) || others.length > 1)
}

/** Whether a literal has the form of a text and not of a code, a path, a key or a list of classes. `0` stands for placeholders. */
function isText(literal: string): boolean {
  const text = literal.trim()
  if (!/\p{L}{2}/u.test(text)) return false
  if (/^(?:[/#.@]|https?:|--|[MLHVCSQTAZ] ?[\d-])/.test(text)) return false
  if (isShortcut(text) || STYLE.test(text)) return false
  if (/^[A-Z\d_ ]+$/.test(text) || /^[A-Z][a-z]+(?:-[A-Z][A-Za-z]*)+$/.test(text)) return false
  if (/^[“‘"'(…·,.:;–—\s\d]*\p{Lu}[\p{Ll} ]/u.test(text)) return !/^[A-Z][a-z]+[A-Z]/.test(text) || text.includes(' ')
  return /[\p{L}\d”’)]['’,:;.]? [\p{L}\d“‘(]/u.test(text)
}

// Messages

function add(source: Source, form: Text['form'], nodes: readonly Node[]): void {
  const [first, last] = [nodes[0], nodes.at(-1)]
  if (!first || !last) return
  const placeholders = namedPlaceholders(nodes.filter(({ type }) => type !== 'Text'))
  const rest = [...placeholders]
  const texts = nodes.map((node) => (node.type === 'Text' ? String(node.data) : braced(rest.shift())))
  const message = form === 'markup' ? texts.join('').replaceAll(/\s+/g, ' ').trim() : texts.join('')
  if (!hasWord(texts.filter((_, index) => nodes[index]?.type === 'Text').join(''))) return
  const { code } = source
  // The white space around a text in markup stays where it is.
  const start = first.type === 'Text' ? first.start + (code.slice(first.start).search(/\S/) || 0) : first.start
  const end = last.type === 'Text' ? first.start + code.slice(first.start, last.end).trimEnd().length : last.end
  const place = form === 'markup' ? { start, end } : { start: first.start, end: last.end }
  source.found.push({ message, placeholders, ...place, form, isSure: true })
}

function namedPlaceholders(nodes: readonly Node[]): Placeholder[] {
  const taken = new Map<string, number>()
  return nodes.map((node) => {
    const name = placeholderName(node)
    const count = (taken.get(name) ?? 0) + 1
    taken.set(name, count)
    return { name: count === 1 ? name : `${name}${count}`, start: node.start, end: node.end }
  })
}

function placeholderName(node: Node): string {
  if (node.type === 'ExpressionTag') return placeholderName(node.expression as Node) // of every such tag
  if (node.type === 'RegularElement' || node.type === 'Component') return String(node.name)
  if (node.type === 'IfBlock') return 'if'
  return nameOf(node) || 'value'
}

/** What an expression is about: `a` for `a`, `b.a`, `a.length`, `a.map(…)` and `format(a)`. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'Identifier') return String(node.name)
  if (node.type === 'MemberExpression') {
    const name = nameOf(node.property)
    return /^(?:length|size|current|value)$/.test(name) ? nameOf(node.object) || name : name
  }
  if (node.type === 'CallExpression') {
    const { callee } = node
    const args = node.arguments as readonly unknown[] // of every call
    if (isNode(callee) && callee.type === 'MemberExpression') return nameOf(callee.object) || nameOf(callee)
    return (args.length > 0 && nameOf(args[0])) || nameOf(callee)
  }
  if (node.type === 'ChainExpression' || node.type.startsWith('TS')) return nameOf(node.expression)
  return ''
}

/** The last name of `a`, `b.a`. */
const calleeName = (node: unknown): string =>
  isNode(node) && node.type === 'MemberExpression' ? calleeName(node.property) : nameOf(node)
