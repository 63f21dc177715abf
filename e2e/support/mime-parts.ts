/** The parts of a message, for the IMAP server of tests. */

interface Part {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly children: readonly Part[]
}

function parse(text: string): Part {
  const end = text.indexOf('\r\n\r\n')
  const head = end === -1 ? text : text.slice(0, end)
  const body = end === -1 ? '' : text.slice(end + 4)
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const boundary = parametersIn(headers.get('content-type')).get('boundary')
  const children = boundary === undefined ? [] : `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1)
  return { headers, body, children: children.map((child) => parse(child.slice(2))) }
}

/** `text/plain; charset="utf-8"` */
const parametersIn = (value = ''): ReadonlyMap<string, string> =>
  new Map([...value.matchAll(/;\s*([\w-]+)=(?:"([^"]*)"|([^\s;]+))/g)].map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? ''])) // prettier-ignore

/** The BODYSTRUCTURE of a message. */
export const bodyStructure = (text: string): string => structureOf(parse(text))

function structureOf({ headers, body, children }: Part): string {
  const contentType = headers.get('content-type') ?? 'text/plain'
  const [type = '', subtype = ''] = (contentType.split(';')[0] ?? '').trim().split('/')
  if (children.length > 0) return `(${children.map(structureOf).join('')} "${subtype}" NIL NIL NIL NIL)`
  const disposition = headers.get('content-disposition')
  const encoding = headers.get('content-transfer-encoding') ?? '7bit'
  const lines = type.toLowerCase() === 'text' ? ` ${body.split('\n').length}` : ''
  const placed =
    disposition === undefined ? 'NIL' : `("${disposition.split(';')[0]}" ${listOf(parametersIn(disposition))})`
  return `("${type}" "${subtype}" ${listOf(parametersIn(contentType))} NIL NIL "${encoding}" ${Buffer.byteLength(body)}${lines} NIL ${placed} NIL NIL)`
}

const listOf = (parameters: ReadonlyMap<string, string>): string =>
  parameters.size === 0 ? 'NIL' : `(${[...parameters].flat().map((text) => `"${text}"`).join(' ')})` // prettier-ignore

/** The body of a part, such as `1.2`. The one of a message of one part is `1`. */
export function sectionOf(text: string, section: string): string {
  let part: Part | undefined = parse(text)
  if (part.children.length === 0) return part.body
  for (const number of section.split('.')) part = part?.children[Number(number) - 1]
  return part?.body ?? ''
}
