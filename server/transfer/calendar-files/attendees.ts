/** The participants of an event. */

import type ICAL from 'ical.js'
import { readAddress } from '#engine/attribute-types/email-address'
import { cleanLine } from '#base/text/csv-line'

export interface Attendee {
  readonly email_address?: string
  readonly name?: string
  readonly is_organizer: boolean
  readonly status: 'accepted' | 'tentative' | 'declined' | 'pending'
}

const MAX_NAME = 500
/** A meeting has at most this many participants. */
const MAX_ATTENDEES = 500

const STATUSES: ReadonlyMap<string, Attendee['status']> = new Map([
  ['ACCEPTED', 'accepted'],
  ['TENTATIVE', 'tentative'],
  ['DECLINED', 'declined'],
])

/** The organizer first, each address once. Rooms and other resources are left out. The member takes part in an event without attendees. */
export function* attendeesOf(component: ICAL.Component, memberAddress: string): Generator<void, Attendee[]> {
  const byKey = new Map<string, Attendee>()
  const add = (attendee: Attendee) => {
    const key = attendee.email_address ?? `name ${attendee.name}`
    const before = byKey.get(key)
    // The status of the organizer is that of the attendee.
    byKey.set(key, before === undefined ? attendee : { ...before, ...attendee, is_organizer: before.is_organizer })
  }
  for (const property of component.getAllProperties('organizer')) {
    attendeeOf(property, true).forEach(add)
    yield
  }
  for (const property of component.getAllProperties('attendee')) {
    if (!isResource(property)) attendeeOf(property, false).forEach(add)
    yield
  }
  if (byKey.size === 0) return [{ email_address: memberAddress, is_organizer: true, status: 'accepted' }]
  return [...byKey.values()].slice(0, MAX_ATTENDEES)
}

function isResource(property: ICAL.Property): boolean {
  const type = property.getFirstParameter('cutype')?.toUpperCase()
  return type === 'RESOURCE' || type === 'ROOM'
}

function attendeeOf(property: ICAL.Property, isOrganizer: boolean): Attendee[] {
  const address = readAddress(String(property.getFirstValue()).replace(/^mailto:/i, ''))?.email_address
  const name = cleanLine(property.getFirstParameter('cn'), MAX_NAME)
  if (address === undefined && name === null) return []
  const participation = property.getFirstParameter('partstat')?.toUpperCase() ?? ''
  return [
    {
      ...(address === undefined ? {} : { email_address: address }),
      ...(name === null ? {} : { name }),
      is_organizer: isOrganizer,
      status: STATUSES.get(participation) ?? (isOrganizer ? 'accepted' : 'pending'),
    },
  ]
}
