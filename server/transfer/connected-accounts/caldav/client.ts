/** Requests of CalDAV (RFC 4791) and WebDAV synchronisation (RFC 6578). The answers are small texts; calendars are read in batches. */

import { inSlices } from '#base/timing/in-slices'
import { AccountProblem, shortAnswer } from '#transfer/connected-accounts/account-problem'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import type { AccountSecret, CalDavSettings } from '#transfer/connected-accounts/settings'
import { basicAuthorization, readResponseText } from '#transfer/connected-accounts/web-request'
import { childOf, parseXml, type XmlElement, XmlError } from './xml'

export const DAV = 'DAV:|'
export const CALDAV = 'urn:ietf:params:xml:ns:caldav|'
const CALENDAR_SERVER = 'http://calendarserver.org/ns/|'
const PREFIXES = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:s="http://calendarserver.org/ns/"'

/** A listing of 100,000 events has about so many bytes. */
const MAX_BYTES = 48_000_000

interface DavResponse {
  readonly url: URL
  /** Of the resource; undefined for one with properties. */
  readonly status: number | undefined
  /** Those that the server has, by name. */
  readonly properties: ReadonlyMap<string, XmlElement>
}

export interface Multistatus {
  /** After redirects. */
  readonly url: string
  readonly responses: readonly DavResponse[]
  readonly syncToken: string | null
}

/** The server answered a request with this status, which is none of success. */
export class DavRefusal extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(shortAnswer(`${status} ${text.replaceAll(/<[^<>]*>/g, ' ').replaceAll(/\s+/g, ' ')}`.trim()))
  }
}

export interface DavClient {
  /** Throws `DavRefusal`. */
  propfind(url: string, depth: 0 | 1, properties: string): Promise<Multistatus>
  /** `body` is the report without the declaration of the prefixes `d`, `c` and `s`. Throws `DavRefusal`. */
  report(url: string, name: string, body: string, maxBytes?: number): Promise<Multistatus>
  /** The text of a resource and its ETag; undefined for one that is gone. */
  get(url: string, maxBytes: number): Promise<{ readonly text: string; readonly etag: string | null } | undefined>
}

/** Who signs in, and where. A token may end while a calendar is read, so each request asks for the secret. */
export interface DavSignIn {
  readonly settings: CalDavSettings
  getSecret(): Promise<AccountSecret | undefined>
}

export function createDavClient(
  servers: AccountServers,
  { settings, getSecret }: DavSignIn,
  signal: AbortSignal,
): DavClient {
  const signIn = async () => ({ authorization: authorizationOf(settings, await getSecret()), at: settings.url })
  const sendXml = async (
    method: 'PROPFIND' | 'REPORT',
    url: string,
    depth: number,
    xml: string,
    maxBytes = MAX_BYTES,
  ) => {
    const headers = { Depth: String(depth), 'Content-Type': 'application/xml; charset=utf-8' }
    const body = `<?xml version="1.0" encoding="utf-8"?>${xml}`
    const response = await servers.request({ method, url, headers, body, signIn: await signIn(), signal, maxBytes })
    const text = await readResponseText(response.body)
    if (response.status !== 207) throw refusalOf(response.status, text)
    return parseMultistatus(text, response.url)
  }
  return {
    propfind: (url, depth, properties) =>
      sendXml('PROPFIND', url, depth, `<d:propfind ${PREFIXES}><d:prop>${properties}</d:prop></d:propfind>`),
    report: (url, name, body, maxBytes) =>
      sendXml('REPORT', url, name === 'd:sync-collection' ? 0 : 1, `<${name} ${PREFIXES}>${body}</${name}>`, maxBytes),
    async get(url, maxBytes) {
      const response = await servers.request({ method: 'GET', url, signIn: await signIn(), signal, maxBytes })
      const text = await readResponseText(response.body)
      if (response.status === 404 || response.status === 410) return undefined
      if (response.status !== 200) throw refusalOf(response.status, text)
      return { text, etag: response.headers.get('etag') }
    },
  }
}

function authorizationOf({ user }: CalDavSettings, secret: AccountSecret | undefined): string {
  if (secret === undefined) throw new AccountProblem('sign_in_refused')
  return 'password' in secret ? basicAuthorization(user, secret.password) : `Bearer ${secret.access_token}`
}

/** So many characters of a refusal are read. */
const MAX_REFUSAL = 10_000
/** Google answers 403 to an account that has asked too often. */
const ASKED_TOO_OFTEN = /rate ?limit|quota|usage ?limit/i

function refusalOf(status: number, text: string): Error {
  const refusal = new DavRefusal(status, text.slice(0, MAX_REFUSAL))
  return status === 403 && ASKED_TOO_OFTEN.test(refusal.message)
    ? new AccountProblem('server_busy', refusal.message)
    : refusal
}

async function parseMultistatus(text: string, base: string): Promise<Multistatus> {
  const root = await inSlices(parseXml(text)).catch((error: unknown) => {
    throw error instanceof XmlError ? new AccountProblem('unexpected_answer', error.message) : error
  })
  if (root.name !== `${DAV}multistatus`) throw new AccountProblem('unexpected_answer', 'It is no list of resources.')
  const responses = root.children
    .filter(({ name }) => name === `${DAV}response`)
    .flatMap((each) => responseOf(each, base))
  return { url: base, responses, syncToken: textOfElement(childOf(root, `${DAV}sync-token`)) }
}

/** A response without a usable address is left out. */
function responseOf(element: XmlElement, base: string): DavResponse[] {
  const url = URL.parse(textOfElement(childOf(element, `${DAV}href`)) ?? '', base)
  if (url === null) return []
  const status = childOf(element, `${DAV}status`)
  const properties = new Map<string, XmlElement>()
  for (const propstat of element.children.filter(({ name }) => name === `${DAV}propstat`)) {
    if (statusOf(childOf(propstat, `${DAV}status`)) !== 200) continue
    for (const property of childOf(propstat, `${DAV}prop`)?.children ?? []) properties.set(property.name, property)
  }
  return [{ url, status: status && statusOf(status), properties }]
}

/** `HTTP/1.1 200 OK`. */
const statusOf = (element: XmlElement | undefined): number =>
  Number(/^\s*HTTP\/\S+ (\d{3})/.exec(element?.text ?? '')?.[1])

/** Null for an absent and for an empty text. */
export const textOfElement = (element: XmlElement | undefined): string | null => element?.text.trim() || null

/** The address within a property, such as that of the principal. */
function hrefIn(response: DavResponse, property: string): string | undefined {
  const text = textOfElement(childOf(response.properties.get(property), `${DAV}href`))
  return text === null ? undefined : URL.parse(text, response.url)?.href
}

// Finds the calendars of an account: by its principal and its home set (RFC 4791, 6.2; RFC 5397), or at the address itself.

export interface FoundCalendar {
  readonly url: string
  readonly name: string
  /** Of RFC 6578; null for a server without it. */
  readonly syncToken: string | null
  /** Changes with each change of the calendar; null for a server without it. */
  readonly ctag: string | null
}

const CALENDAR_PROPERTIES =
  '<d:resourcetype/><d:displayname/><d:sync-token/><s:getctag/><c:supported-calendar-component-set/>'
const HOME_PROPERTIES = '<d:current-user-principal/><c:calendar-home-set/>'
const MAX_CALENDARS = 200

/** Throws `AccountProblem` when there is no calendar, with what the server said about the address. */
export async function findCalendars(client: DavClient, url: string): Promise<FoundCalendar[]> {
  const refusals: DavRefusal[] = []
  const calendars = (await calendarsAt(client, url, refusals)) ?? (await calendarsAt(client, wellKnown(url), refusals))
  if (calendars === undefined) throw new AccountProblem('no_calendar', refusals[0]?.message ?? null)
  return calendars.slice(0, MAX_CALENDARS)
}

/** RFC 6764, 5. */
const wellKnown = (url: string): string => new URL('/.well-known/caldav', url).href

/** Undefined when the address is neither a calendar nor tells the way to some. */
async function calendarsAt(
  client: DavClient,
  url: string,
  refusals: DavRefusal[],
): Promise<FoundCalendar[] | undefined> {
  const find = (at: string, properties: string) => first(client, at, properties, refusals)
  const own = await find(url, HOME_PROPERTIES + CALENDAR_PROPERTIES)
  if (own === undefined) return undefined
  if (isCalendar(own)) return [calendarOf(own)]
  const principal = hrefIn(own, `${DAV}current-user-principal`)
  const home =
    hrefIn(own, `${CALDAV}calendar-home-set`) ?? (principal && homeOf(await find(principal, HOME_PROPERTIES)))
  if (home === undefined) return undefined
  const { responses } = await client.propfind(home, 1, CALENDAR_PROPERTIES).catch(asProblem)
  return responses.filter(isCalendar).map(calendarOf)
}

const homeOf = (response: DavResponse | undefined): string | undefined =>
  response && hrefIn(response, `${CALDAV}calendar-home-set`)

/** The properties of one resource; undefined for one that the server refuses, which is added to `refusals`. */
async function first(
  client: DavClient,
  url: string,
  properties: string,
  refusals: DavRefusal[],
): Promise<DavResponse | undefined> {
  try {
    return (await client.propfind(url, 0, properties)).responses[0]
  } catch (error) {
    if (!(error instanceof DavRefusal)) throw error
    refusals.push(error)
    return undefined
  }
}

export function asProblem(error: unknown): never {
  if (error instanceof DavRefusal) throw new AccountProblem('unexpected_answer', error.message, { cause: error })
  throw error
}

/** A calendar for tasks or journals only is none. */
function isCalendar({ properties }: DavResponse): boolean {
  if (childOf(properties.get(`${DAV}resourcetype`), `${CALDAV}calendar`) === undefined) return false
  const components = properties.get(`${CALDAV}supported-calendar-component-set`)?.children ?? []
  return components.length === 0 || components.some(({ attributes }) => attributes.name?.toUpperCase() === 'VEVENT')
}

const MAX_NAME = 200

const calendarOf = ({ url, properties }: DavResponse): FoundCalendar => ({
  url: url.href,
  name: (textOfElement(properties.get(`${DAV}displayname`)) ?? nameIn(url)).slice(0, MAX_NAME).toWellFormed(),
  syncToken: textOfElement(properties.get(`${DAV}sync-token`)),
  ctag: textOfElement(properties.get(`${CALENDAR_SERVER}getctag`)),
})

const nameIn = ({ pathname, host }: URL): string => pathname.split('/').findLast((part) => part !== '') ?? host
