/**
 * Receivers in a process of their own: `/well/<n>` responds immediately and records the time, `/dead/<n>` never responds.
 * `GET /seen` returns and clears the records: `[[path, id of record or list, milliseconds since 1970], …]`.
 */

const [port = '0'] = process.argv.slice(2)

let seen: [path: string, id: string, at: number][] = []

const ID = /"(?:list|record)_id":"([^"]*)"/

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  idleTimeout: 60,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/seen') {
      const answer = Response.json(seen)
      seen = []
      return answer
    }
    if (pathname === '/count') return Response.json(seen.length)
    if (pathname.startsWith('/dead')) await new Promise(() => {})
    const body = await request.text()
    seen.push([pathname, ID.exec(body)?.[1] ?? '', performance.timeOrigin + performance.now()])
    return new Response(null, { status: 204 })
  },
})
console.log('Receivers listen.')
