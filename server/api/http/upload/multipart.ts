/** Reads the parts of `multipart/form-data` one after the other, without holding their contents in memory. RFC 7578. See docs/decisions/files.md. */

export interface MultipartPart {
  readonly name: string
  /** Without folders. Undefined for a text. */
  readonly fileName: string | undefined
  /** The media type without parameters; empty when the part has none. */
  readonly type: string
  /** Must be read to its end before the next part. */
  readonly content: AsyncGenerator<Uint8Array>
}

/** The body is not valid multipart/form-data. */
export class MalformedMultipart extends Error {}

const MAX_HEADER_BYTES = 8192
const MAX_CONTENT_TYPE_LENGTH = 500

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i

/** Returns undefined when the content type names no boundary. */
export function boundaryOf(contentType: string): string | undefined {
  if (contentType.length > MAX_CONTENT_TYPE_LENGTH) return undefined
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  return quoted ?? plain
}

/** Throws `MalformedMultipart`. Ignores the text before the first boundary and after the last one. */
export async function* readMultipart(
  source: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<MultipartPart> {
  // The first boundary may stand at the beginning, without a line break before it.
  const input = bufferedInput(source, '\r\n')
  const delimiter = `\r\n--${boundary}`
  for await (const _ of input.until(delimiter));
  while (!(await input.startsWith('--'))) {
    const head = await input.take('\r\n\r\n', MAX_HEADER_BYTES)
    yield { ...parseHead(head), content: input.until(delimiter) }
  }
  await input.skipAll()
}

interface Input {
  /** Yields the bytes before a text, and skips the text. */
  until(text: string): AsyncGenerator<Uint8Array>
  /** Returns the bytes before a text as text, and skips both. */
  take(text: string, limit: number): Promise<string>
  startsWith(text: string): Promise<boolean>
  skipAll(): Promise<void>
}

function bufferedInput(source: AsyncIterable<Uint8Array>, beginning: string): Input {
  const chunks = source[Symbol.asyncIterator]()
  let buffer = Buffer.from(beginning)

  async function readMore(): Promise<void> {
    const { value, done } = await chunks.next()
    if (done === true) throw new MalformedMultipart('The body ends within a part.')
    buffer = buffer.length === 0 ? Buffer.from(value) : Buffer.concat([buffer, value])
  }

  /** Removes bytes from the buffer and returns them. */
  function shift(length: number): Buffer {
    const bytes = buffer.subarray(0, length)
    buffer = buffer.subarray(length)
    return bytes
  }

  return {
    async *until(text) {
      for (;;) {
        const at = buffer.indexOf(text)
        if (at >= 0) {
          if (at > 0) yield shift(at)
          shift(text.length)
          return
        }
        const length = lengthBefore(buffer, text)
        if (length > 0) yield shift(length)
        await readMore()
      }
    },
    async take(text, limit) {
      while (!buffer.includes(text)) {
        if (buffer.length > limit) throw new MalformedMultipart('The head of a part is too long.')
        await readMore()
      }
      const at = buffer.indexOf(text)
      const taken = shift(at).toString('utf8')
      shift(text.length)
      return taken
    },
    async startsWith(text) {
      while (buffer.length < text.length) await readMore()
      return buffer.subarray(0, text.length).toString('latin1') === text
    },
    async skipAll() {
      while ((await chunks.next()).done !== true);
    },
  }
}

/**
 * The length of the bytes that do not belong to an absent text: the end of the buffer may be its beginning. Few chunks end
 * like that, so most are not copied to join them with the next one.
 */
function lengthBefore(buffer: Buffer, text: string): number {
  const at = buffer.indexOf(text.charCodeAt(0), Math.max(buffer.length - text.length + 1, 0))
  return at < 0 ? buffer.length : at
}

const DISPOSITION = /^content-disposition:[ \t]*form-data(?=[ \t]*;)/i
const TYPE = /^content-type:[ \t]*([^;\s]*)/i
/** A quoted value contains no quote: browsers write `%22`, and other clients a backslash before it. .NET writes no quotes. */
const PARAMETER = /;[ \t]*(name|filename)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))/gi
/** RFC 7578 forbids it; .NET sends it for names that are not ASCII. RFC 8187. */
const ENCODED_FILE_NAME = /;[ \t]*filename\*=utf-8''([^\s";]+)/i

function parseHead(head: string): Omit<MultipartPart, 'content'> {
  // The line of the boundary ends before the first header.
  const [end = '', ...lines] = head.split('\r\n')
  const disposition = lines.find((line) => DISPOSITION.test(line))
  if (end.trim() !== '' || disposition === undefined) throw new MalformedMultipart('A part has no valid head.')
  const parameters = new Map(
    [...disposition.matchAll(PARAMETER)].map(([, key = '', quoted, token = '']) => [
      key.toLowerCase(),
      quoted === undefined ? token : unescape(quoted),
    ]),
  )
  const name = parameters.get('name')
  if (name === undefined) throw new MalformedMultipart('A part has no name.')
  const types = lines.flatMap((line) => TYPE.exec(line)?.[1] ?? [])
  const fileName = encodedFileName(disposition) ?? parameters.get('filename')
  return {
    name,
    fileName: fileName && fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1),
    type: types[0] ?? '',
  }
}

function encodedFileName(disposition: string): string | undefined {
  const [, encoded] = ENCODED_FILE_NAME.exec(disposition) ?? []
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined // URIError for bytes that are not UTF-8
  }
}

/** What browsers write for a quote and a line break, and the backslash before a quote. */
const unescape = (value: string): string =>
  value.replaceAll(/%22|%0D|%0A|\\"/gi, (found) => ({ '%0D': '\r', '%0A': '\n' })[found.toUpperCase()] ?? '"')
