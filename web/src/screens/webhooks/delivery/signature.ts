/**
 * Computes signatures as receivers do. The secret does not leave the page.
 * See docs/reference/webhooks-and-events.md (The delivery request).
 */

/** The signatures in the headers of a request. */
export interface Signatures {
  /** The signature header of the body. */
  readonly header: string
  readonly plain: string | undefined
  /** Signatures of time and body, one for each valid secret. */
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

/** Browsers have `crypto.subtle` only on https pages and on localhost. */
export const canSign = (): boolean => typeof crypto.subtle !== 'undefined'

/** HMAC-SHA256 in hex; the characters of the secret are the key. */
export async function sign(secret: string, message: string): Promise<string> {
  const bytes = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, bytes.encode(message))
  return [...new Uint8Array(signature)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
