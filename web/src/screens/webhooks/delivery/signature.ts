/**
 * Signatures as receivers compute them. Nothing of it leaves the page.
 * See docs/reference/webhooks-and-events.md (The delivery request).
 */

/** Where the signatures of a request are found in its headers. */
export interface Signatures {
  /** Of the body alone. */
  readonly header: string
  readonly plain: string | undefined
  /** Of time and body, one for each secret that was valid. */
  readonly timed: { readonly seconds: string; readonly all: readonly string[] } | undefined
}

export function signaturesIn(headers: Readonly<Record<string, string>>, brand: string): Signatures {
  const header = `${brand.charAt(0).toUpperCase()}${brand.slice(1)}-Signature`
  const find = (name: string): string | undefined =>
    Object.entries(headers).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1]
  return { header, plain: find(header), timed: parseTimed(find(`X-${header}-V2`)) }
}

function parseTimed(text: string | undefined): Signatures['timed'] {
  const parts = (text ?? '').split(',').map((part) => part.split('='))
  const valuesOf = (wanted: string) => parts.flatMap(([name, value]) => (name === wanted && value ? [value] : []))
  const [seconds] = valuesOf('t')
  return seconds === undefined ? undefined : { seconds, all: valuesOf('v1') }
}

/** A browser computes nothing of this kind on a page that came over plain http, unless from the same machine. */
export const canSign = (): boolean => typeof crypto.subtle !== 'undefined'

/** HMAC-SHA256 in hex; the secret's characters are the key, as they are. */
export async function sign(secret: string, message: string): Promise<string> {
  const bytes = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, bytes.encode(message))
  return [...new Uint8Array(signature)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
