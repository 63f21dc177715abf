/** The command that forwards the requests of a test endpoint to a local receiver. */

import { quoted } from '../delivery/curl'

export interface Forwarding {
  readonly endpointId: string
  /** The URL of the receiver. */
  readonly to: string
  /** The URL of the service. */
  readonly service: string
}

/** The person who runs the command replaces `<key>`. */
export const forwardCommand = ({ endpointId, to, service }: Forwarding): string =>
  [
    'bun relata webhooks forward',
    `--endpoint ${endpointId}`,
    `--to ${quoted(to)}`,
    `--service ${quoted(service)}`,
    "--key '<key>'",
  ].join(' \\\n  ')

/** Undefined for a valid URL. */
export function problemOf(to: string): string | undefined {
  const url = URL.parse(to.trim())
  return url !== null && /^https?:$/.test(url.protocol) ? undefined : 'Enter a URL that starts with http:// or https://'
}
