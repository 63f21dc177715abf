/** A calendar server for tests: CalDAV below `/dav/`, and one ICS file. It counts what is read, and can refuse, break off and forget. */

export interface CalendarServer {
  readonly url: string
  readonly port: number
  user: string
  password: string
  /** The access token that is accepted beside the password; empty for none. */
  token: string
  /** The text of `/calendar.ics`. */
  ics: string
  /** Whether the ICS file has an ETag, and so answers 304. */
  hasValidators: boolean
  /** Answers with this status, except to CalDAV requests whose sign-in is wrong. */
  status: number
  /** Bodies of ICS files and reports break off after so many bytes. */
  cutAfter: number
  /** The calendars by the last part of their path. */
  readonly calendars: Map<string, FakeCalendar>
  /** RFC 6578. Without, calendars have a ctag; without both, only their resources have ETags. */
  hasSyncCollection: boolean
  hasCtag: boolean
  hasMultiget: boolean
  /** A report of changes names at most so many. */
  changesAtOnce: number
  /** Tokens from before this change are refused. */
  oldestToken: number
  /** Waits before each answer to a report. */
  pause: () => Promise<void>
  /** The resources that were sent, in their order. */
  readonly sent: string[]
  /** The methods and paths of all requests. */
  readonly requests: string[]
  add(calendar: string, name: string, text: string): void
  remove(calendar: string, name: string): void
  stop(): void
}

interface FakeCalendar {
  readonly displayName: string
  /** Components other than events. */
  readonly components: readonly string[]
  readonly resources: Map<string, { etag: string; text: string }>
  /** The change with which each resource was written or removed last. */
  readonly changes: Map<string, number>
}

export function startCalendarServer(): CalendarServer {
  let change = 0
  const calendars = new Map<string, FakeCalendar>()
  const state = {
    user: 'ada',
    password: 'secret',
    token: '',
    ics: '',
    hasValidators: true,
    status: 200,
    cutAfter: Number.POSITIVE_INFINITY,
    hasSyncCollection: true,
    hasCtag: true,
    hasMultiget: true,
    changesAtOnce: Number.POSITIVE_INFINITY,
    oldestToken: 0,
    pause: () => Promise.resolve(),
  }
  const sent: string[] = []
  const requests: string[] = []
  const served = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 120, fetch: answer })

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    requests.push(`${request.method} ${pathname}`)
    if (pathname.startsWith('/redirect'))
      return new Response(null, { status: 302, headers: { location: pathname.slice('/redirect'.length) } })
    if (pathname === '/.well-known/caldav') return new Response(null, { status: 301, headers: { location: '/dav/' } })
    const isDav = pathname.startsWith('/dav/')
    if (isDav && !isSignedIn(request.headers.get('authorization')))
      return new Response('Wrong user or password.', { status: 401 })
    if (server.status !== 200) return new Response('No.', { status: server.status })
    if (pathname === '/calendar.ics') return icsFile(request)
    if (!isDav) return new Response('Nothing here.', { status: 404 })
    await server.pause()
    return answerDav(request, pathname.slice('/dav/'.length))
  }

  const isSignedIn = (authorization: string | null) =>
    authorization === `Basic ${btoa(`${server.user}:${server.password}`)}` ||
    (server.token !== '' && authorization === `Bearer ${server.token}`)

  function icsFile(request: Request): Response {
    const etag = `"${Bun.hash(server.ics)}"`
    if (server.hasValidators && request.headers.get('if-none-match') === etag)
      return new Response(null, { status: 304, headers: { etag } })
    return new Response(cut(server.ics), server.hasValidators ? { headers: { etag } } : {})
  }

  /** As a stream, so that the end of the connection is the only sign of the missing rest. */
  function cut(text: string): string | ReadableStream {
    if (text.length <= server.cutAfter) return text
    return new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text.slice(0, server.cutAfter)))
        controller.error(new Error('The connection breaks off.'))
      },
    })
  }

  async function answerDav(request: Request, path: string): Promise<Response> {
    const body = await request.text()
    const [top = '', , calendarName = '', resourceName = ''] = path.split('/').map(decodeURIComponent)
    const calendar = calendars.get(calendarName)
    if (request.method === 'GET') {
      const resource = calendar?.resources.get(resourceName)
      if (resource === undefined) return new Response(null, { status: 404 })
      sent.push(resourceName)
      return new Response(resource.text, { headers: { etag: resource.etag } })
    }
    if (request.method === 'PROPFIND') {
      if (top === '')
        return multistatus(
          found('/dav/', '<d:current-user-principal><d:href>/dav/principals/ada/</d:href></d:current-user-principal>'),
        )
      if (top === 'principals')
        return multistatus(
          found(`/dav/${path}`, '<c:calendar-home-set><d:href>/dav/calendars/ada/</d:href></c:calendar-home-set>'),
        )
      if (calendarName === '') {
        const own = found('/dav/calendars/ada/', '<d:resourcetype><d:collection/></d:resourcetype>')
        if (request.headers.get('depth') === '0') return multistatus(own)
        return multistatus(own + [...calendars].map(([name, each]) => found(pathOf(name), propertiesOf(each))).join(''))
      }
      if (calendar === undefined) return new Response(null, { status: 404 })
      const resources = [...calendar.resources].map(([name, { etag }]) =>
        found(pathOf(calendarName, name), `<d:getetag>${escaped(etag)}</d:getetag><d:resourcetype/>`),
      )
      return multistatus(found(pathOf(calendarName), propertiesOf(calendar)) + resources.join(''))
    }
    if (calendar === undefined) return new Response(null, { status: 404 })
    if (body.includes('sync-collection')) return changesOf(calendarName, calendar, body)
    if (body.includes('calendar-multiget')) return multiget(calendar, body)
    return new Response('Unknown report.', { status: 403 })
  }

  function propertiesOf({ displayName, components, resources }: FakeCalendar): string {
    const calendar = calendars.values().find((each) => each.resources === resources)
    const latest = Math.max(0, ...(calendar?.changes.values() ?? []))
    return [
      '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>',
      `<d:displayname>${escaped(displayName)}</d:displayname>`,
      `<c:supported-calendar-component-set>${components.map((name) => `<c:comp name="${name}"/>`).join('')}</c:supported-calendar-component-set>`,
      server.hasSyncCollection ? `<d:sync-token>http://relata.dev/token/${latest}</d:sync-token>` : '',
      server.hasCtag ? `<cs:getctag>${latest}</cs:getctag>` : '',
    ].join('')
  }

  function changesOf(name: string, calendar: FakeCalendar, body: string): Response {
    if (!server.hasSyncCollection) return new Response(null, { status: 403 })
    const since = Number(/token\/(\d+)</.exec(body)?.[1] ?? 0)
    if (since < server.oldestToken)
      return new Response('<d:error xmlns:d="DAV:"><d:valid-sync-token/></d:error>', { status: 403 })
    const after = [...calendar.changes].filter(([, at]) => at > since).toSorted(([, a], [, b]) => a - b)
    const page = after.slice(0, server.changesAtOnce)
    const last = page.at(-1)?.[1] ?? since
    const responses = page.map(([resource]) => {
      const stored = calendar.resources.get(resource)
      return stored === undefined
        ? `<d:response><d:href>${pathOf(name, resource)}</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>`
        : found(pathOf(name, resource), `<d:getetag>${escaped(stored.etag)}</d:getetag>`)
    })
    const isCut = page.length < after.length
    const more = isCut
      ? `<d:response><d:href>${pathOf(name)}</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>`
      : ''
    return multistatus(`${responses.join('')}${more}<d:sync-token>http://relata.dev/token/${last}</d:sync-token>`)
  }

  function multiget(calendar: FakeCalendar, body: string): Response {
    if (!server.hasMultiget) return new Response(null, { status: 403 })
    const names = [...body.matchAll(/<[a-z]*:?href>([^<]*)</gi)].map(([, path = '']) => path.split('/').at(-1) ?? '')
    const responses = names.map((escapedName) => {
      const name = decodeURIComponent(escapedName)
      const resource = calendar.resources.get(name)
      const calendarName = [...calendars].find(([, each]) => each === calendar)?.[0] ?? ''
      if (resource === undefined)
        return `<d:response><d:href>${pathOf(calendarName, name)}</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>`
      sent.push(name)
      return found(
        pathOf(calendarName, name),
        `<d:getetag>${escaped(resource.etag)}</d:getetag><c:calendar-data>${escaped(resource.text)}</c:calendar-data>`,
      )
    })
    return multistatus(responses.join(''))
  }

  const multistatus = (responses: string) =>
    new Response(
      cut(
        `<?xml version="1.0" encoding="utf-8"?>\n<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/">${responses}</d:multistatus>`,
      ),
      { status: 207, headers: { 'content-type': 'application/xml; charset=utf-8' } },
    )

  const server: CalendarServer = {
    ...state,
    url: `http://127.0.0.1:${served.port}`,
    port: served.port ?? 0,
    calendars,
    sent,
    requests,
    add(calendar, name, text) {
      const found: FakeCalendar = calendars.get(calendar) ?? {
        displayName: calendar,
        components: ['VEVENT'],
        resources: new Map(),
        changes: new Map(),
      }
      calendars.set(calendar, found)
      found.resources.set(name, { etag: `"${++change}"`, text })
      found.changes.set(name, change)
    },
    remove(calendar, name) {
      calendars.get(calendar)?.resources.delete(name)
      calendars.get(calendar)?.changes.set(name, ++change)
    },
    stop: () => void served.stop(true),
  }
  return server
}

const pathOf = (calendar: string, resource?: string): string =>
  `/dav/calendars/ada/${encodeURIComponent(calendar)}/${resource === undefined ? '' : encodeURIComponent(resource)}`

const found = (path: string, properties: string): string =>
  `<d:response><d:href>${path}</d:href><d:propstat><d:prop>${properties}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;')
