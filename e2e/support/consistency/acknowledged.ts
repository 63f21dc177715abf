/** Clients that write continuously and store acknowledged writes, to check them after a crash. */

import { createRequest, type Request } from '../http/client'

export interface Acknowledged {
  readonly id: string
  readonly code: string
  readonly values: object
}

export interface Writers {
  /** The writes with a response 200 so far. */
  readonly acknowledged: readonly Acknowledged[]
  /** Waits for the end of running writes, successful or not. */
  stop(): Promise<void>
}

/** Each write creates a record of `alpha` with a unique code, several addresses and the derived side of a relationship. */
export function startWriters(url: string, key: string, groups: readonly string[], clients = 6): Writers {
  const acknowledged: Acknowledged[] = []
  const ending = new AbortController()
  const request = createRequest(url, key)
  const run = async (client: number) => {
    for (let count = 0; !ending.signal.aborted; count++) {
      const code = `c${client}-${count}-${crypto.randomUUID()}`
      const written = await write(request, code, groups[count % groups.length] ?? '').catch(() => undefined)
      if (written) acknowledged.push(written)
      else await Bun.sleep(5)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  return {
    acknowledged,
    stop: async () => {
      ending.abort()
      await running
    },
  }
}

async function write(request: Request, code: string, group: string): Promise<Acknowledged | undefined> {
  const target = { target_object: 'beta', target_record_id: group }
  const emails = [1, 2, 3].map((number) => `${code}-${number}@relata.dev`)
  const values = { code, name: code, emails, group: target, parts: [target], friends: [target] }
  const { status, body } = await request('POST', '/v2/objects/alpha/records', { data: { values } })
  if (status !== 200) return undefined
  return { id: body.data.id.record_id, code, values: body.data.values }
}

/** The acknowledged records that are missing or differ from their response. */
export async function lost(request: Request, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const problems: string[] = []
  for (const { id, code, values } of acknowledged) {
    const { status, body } = await request('GET', `/v2/objects/alpha/records/${id}`)
    if (status !== 200) problems.push(`${code} is gone: ${status}`)
    else if (!isSame(body.data.values, values)) problems.push(`${code} differs: ${JSON.stringify(body.data.values)}`)
  }
  return problems
}

/** The last write that names `parts` gets them. All other values must be unchanged. */
function isSame(now: object, then: object): boolean {
  return Bun.deepEquals({ ...now, parts: [] }, { ...then, parts: [] })
}
