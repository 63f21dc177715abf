/** The command that brings what comes to a test endpoint to a receiver on somebody's own machine. */

import { quoted } from '../delivery/curl'

export interface Forwarding {
  readonly endpointId: string
  /** Where the receiver is, as its owner reaches it. */
  readonly to: string
  /** Where the service is. */
  readonly service: string
}

/** The key is for whoever runs it to put in. */
export const forwardCommand = ({ endpointId, to, service }: Forwarding): string =>
  [
    'bun relata webhooks forward',
    `--endpoint ${endpointId}`,
    `--to ${quoted(to)}`,
    `--service ${quoted(service)}`,
    "--key '<key>'",
  ].join(' \\\n  ')

/** Undefined for what is an address. */
export function problemOf(to: string): string | undefined {
  const url = URL.parse(to.trim())
  return url !== null && /^https?:$/.test(url.protocol) ? undefined : 'Enter a URL that starts with http:// or https://'
}
