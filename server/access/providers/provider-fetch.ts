/** Requests to a provider, under the address rules of webhook targets. It follows no redirect and reads at most 1 MB. */

import type { CustomFetch } from 'openid-client'
import { untilAborted } from '#base/timing/wait'
import { fetchAtAddress } from '#events/webhooks/send/send-request'
import { TargetRefused, type TargetPolicy } from '#events/webhooks/send/target'

/** Why no response arrived, in a sentence. */
export class ProviderUnreachable extends Error {}

const MAX_BYTES = 1_000_000
const TIMEOUT_MS = 10_000

export function createProviderFetch(targets: TargetPolicy): CustomFetch {
  return async (target, { method, headers, body }) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      const refusal = await untilAborted(signal, targets.refusal(target))
      if (refusal !== undefined) throw new ProviderUnreachable(`${target}: ${refusal}`)
      const url = new URL(target)
      const address = await untilAborted(signal, targets.locate(url))
      const response = await fetchAtAddress(url, address, { ...requestOf(method, headers, body), signal })
      return await readWithin(response, signal)
    } catch (error) {
      throw explain(error, target, signal)
    }
  }
}

/** The library sends forms and requests without a body. */
function requestOf(method: string, headers: Record<string, string>, body: unknown) {
  if (method !== 'POST') return { method: 'GET' as const, headers }
  const form = body instanceof URLSearchParams || typeof body === 'string' ? body.toString() : ''
  const type = { 'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8' }
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type')
  return { method: 'POST' as const, headers: { ...Object.fromEntries(others), ...type }, body: form }
}

async function readWithin(response: Response, signal: AbortSignal): Promise<Response> {
  const reader = response.body?.getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (;;) {
    const { done = true, value } = (await (reader && untilAborted(signal, reader.read()))) ?? {}
    if (done || value === undefined) break
    size += value.length
    if (size > MAX_BYTES) {
      void reader?.cancel().catch(() => undefined)
      throw new ProviderUnreachable('The response of the provider is larger than 1 MB.')
    }
    parts.push(new Uint8Array(value))
  }
  const { status, headers } = response
  return new Response(parts.length === 0 ? null : new Blob(parts), { status, headers })
}

function explain(error: unknown, target: string, signal: AbortSignal): ProviderUnreachable {
  if (error instanceof ProviderUnreachable) return error
  const { host } = new URL(target)
  if (error instanceof TargetRefused) return new ProviderUnreachable(`${host}: ${error.message}`)
  if (signal.aborted) return new ProviderUnreachable(`${host} did not answer within ${TIMEOUT_MS / 1000} seconds.`)
  return new ProviderUnreachable(`${host} could not be reached.`)
}
