/** A request as a command that sends it again. */

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What curl sets by itself, or must not be told. */
const OWN = new Set(['host', 'content-length', 'connection', 'accept', 'accept-encoding', 'transfer-encoding'])

/** For a POSIX shell. */
export function asCurl({ method, url, headers, body }: HttpRequest): string {
  const cache = Object.entries(headers).filter(([name]) => !OWN.has(name.toLowerCase()))
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...cache.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ')
}

/** As one word of a POSIX shell, whatever it holds. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
