/** Finds the calendars of an account: by its principal and its home set (RFC 4791, 6.2; RFC 5397), or at the address itself. */

import { AccountProblem } from '#transfer/connected-accounts/account-problem'
import { CALDAV, CALENDAR_SERVER, DAV, type DavClient, DavRefusal, type DavResponse, hrefIn, textOf } from './client'
import { childOf } from './xml'

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

/** Throws `AccountProblem` when there is no calendar. */
export async function findCalendars(client: DavClient, url: string): Promise<FoundCalendar[]> {
  const calendars = (await calendarsAt(client, url)) ?? (await calendarsAt(client, wellKnown(url)))
  if (calendars === undefined) throw new AccountProblem('no_calendar')
  return calendars.slice(0, MAX_CALENDARS)
}

/** RFC 6764, 5. */
const wellKnown = (url: string): string => new URL('/.well-known/caldav', url).href

/** Undefined when the address is neither a calendar nor tells the way to some. */
async function calendarsAt(client: DavClient, url: string): Promise<FoundCalendar[] | undefined> {
  const own = await first(client, url, HOME_PROPERTIES + CALENDAR_PROPERTIES)
  if (own === undefined) return undefined
  if (isCalendar(own)) return [calendarOf(own)]
  const principal = hrefIn(own, `${DAV}current-user-principal`)
  const home =
    hrefIn(own, `${CALDAV}calendar-home-set`) ?? (principal && homeOf(await first(client, principal, HOME_PROPERTIES)))
  if (home === undefined) return undefined
  const { responses } = await client.propfind(home, 1, CALENDAR_PROPERTIES).catch(asProblem)
  return responses.filter(isCalendar).map(calendarOf)
}

const homeOf = (response: DavResponse | undefined): string | undefined =>
  response && hrefIn(response, `${CALDAV}calendar-home-set`)

/** The properties of one resource; undefined for one that the server does not have. */
async function first(client: DavClient, url: string, properties: string): Promise<DavResponse | undefined> {
  try {
    return (await client.propfind(url, 0, properties)).responses[0]
  } catch (error) {
    if (error instanceof DavRefusal) return undefined
    throw error
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
  name: (textOf(properties.get(`${DAV}displayname`)) ?? nameIn(url)).slice(0, MAX_NAME).toWellFormed(),
  syncToken: textOf(properties.get(`${DAV}sync-token`)),
  ctag: textOf(properties.get(`${CALENDAR_SERVER}getctag`)),
})

const nameIn = ({ pathname, host }: URL): string => pathname.split('/').findLast((part) => part !== '') ?? host
