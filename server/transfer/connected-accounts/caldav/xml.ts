/** Reads the XML of WebDAV answers: elements with namespaces, text and attributes. A document type is refused, so there are no entities of the server. */

export interface XmlElement {
  /** The namespace, a bar and the local name. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** The text directly within the element. */
  readonly text: string
}

/** The text is no well-formed XML. */
export class XmlError extends Error {}

interface OpenElement {
  readonly name: string
  readonly tag: string
  readonly attributes: Record<string, string>
  readonly children: XmlElement[]
  readonly namespaces: Namespaces
  readonly texts: string[]
}

/** Names of namespaces by their prefix. */
type Namespaces = ReadonlyMap<string, string>

const MAX_DEPTH = 30
/** An element has those of its ancestors, too. */
const MAX_NAMESPACES = 100
/** Tags between which the computation may pause. */
const TAGS_AT_ONCE = 50

/** Yields where the computation may pause. Throws `XmlError`. */
export function* parseXml(text: string): Generator<void, XmlElement> {
  const root: OpenElement = {
    name: '',
    tag: '',
    attributes: {},
    children: [],
    namespaces: new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]),
    texts: [],
  }
  const open = [root]
  let count = 0
  for (let at = 0; at < text.length;) {
    if (++count % TAGS_AT_ONCE === 0) yield
    const top = open.at(-1) ?? root
    const start = text.indexOf('<', at)
    top.texts.push(decode(text.slice(at, start === -1 ? text.length : start)))
    if (start === -1) break
    if (text.startsWith('<!--', start)) at = endOf(text, '-->', start)
    else if (text.startsWith('<?', start)) at = endOf(text, '?>', start)
    else if (text.startsWith('<![CDATA[', start)) {
      at = endOf(text, ']]>', start)
      top.texts.push(text.slice(start + 9, at - 3))
    } else if (text.startsWith('<!', start)) throw new XmlError('It has a document type.')
    else if (text.startsWith('</', start)) {
      at = endOf(text, '>', start)
      close(open, text.slice(start + 2, at - 1).trim())
    } else {
      const tag = readTag(text, start + 1, top.namespaces)
      at = tag.end
      open.push(tag.element)
      if (open.length > MAX_DEPTH) throw new XmlError('It is nested too deeply.')
      if (tag.isEmpty) close(open, tag.element.tag)
    }
  }
  const [element] = root.children
  if (open.length !== 1 || element === undefined) throw new XmlError('It has no end.')
  return element
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  if (found === -1) throw new XmlError('It has no end.')
  return found + mark.length
}

function close(open: OpenElement[], tag: string): void {
  const closed = open.length > 1 ? open.pop() : undefined
  if (closed?.tag !== tag) throw new XmlError('Its tags do not match.')
  const { name, attributes, children, texts } = closed
  open.at(-1)?.children.push({ name, attributes, children, text: texts.join('') })
}

const TAG_NAME = /[^\s/>="'<]{1,200}/y
const ATTRIBUTE = /\s+([^\s/>="'<]{1,200})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y
const TAG_END = /\s*(\/?)>/y

interface ReadTag {
  readonly element: OpenElement
  readonly isEmpty: boolean
  /** Where the tag ends. */
  readonly end: number
}

function readTag(text: string, from: number, outer: Namespaces): ReadTag {
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  const [tag = ''] = match(TAG_NAME, from) ?? []
  const attributes: Record<string, string> = {}
  const declared = new Map<string, string>()
  let at = from + tag.length
  for (let found = match(ATTRIBUTE, at); found !== null; found = match(ATTRIBUTE, at)) {
    const [whole, name = '', double, single = ''] = found
    const value = decode(double ?? single)
    if (name === 'xmlns') declared.set('', value)
    else if (name.startsWith('xmlns:')) declared.set(name.slice('xmlns:'.length), value)
    else attributes[name] = value
    at += whole.length
  }
  const end = match(TAG_END, at)
  if (tag === '' || end === null) throw new XmlError('It has a broken tag.')
  const namespaces = declared.size === 0 ? outer : new Map([...outer, ...declared])
  if (namespaces.size > MAX_NAMESPACES) throw new XmlError('It has too many namespaces.')
  const colon = tag.indexOf(':')
  const namespace = namespaces.get(colon === -1 ? '' : tag.slice(0, colon)) ?? ''
  const name = `${namespace}|${tag.slice(colon + 1)}`
  const element = { name, tag, attributes, children: [], namespaces, texts: [] }
  return { element, isEmpty: end[1] === '/', end: at + end[0].length }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const decode = (text: string): string =>
  text.includes('&') ? text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,4});/gi, decodeReference) : text

function decodeReference(whole: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name] ?? whole
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}

/** The first child with the name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((each) => each.name === name)
