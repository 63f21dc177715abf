/** The answer to a write. */
interface Written {
  readonly data: { readonly id: { readonly record_id: string } }
}

export async function send(port: number, key: string, method: string, path: string, body?: object): Promise<Written> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`)
  return JSON.parse(text) as Written // the answer to the writes of this bench
}

/** The first page of people, as the console asks for it. */
export const queryPeople = (port: number, key: string) =>
  send(port, key, 'POST', '/v2/objects/people/records/query', { limit: 50 })

/** Returns the milliseconds of a call. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
