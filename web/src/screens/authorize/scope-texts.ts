/** What the scopes of an app let it do, as the consent page says it. */

import type { Area } from '#vocabulary/scopes'
import type { ConsentScope } from '../../api/oauth/authorize'

const TEXTS: Readonly<Record<Area, { readonly read: string; readonly write: string }>> = {
  user_management: {
    read: 'See the members of the workspace',
    write: 'See, add, change and suspend members of the workspace',
  },
  record_permission: {
    read: 'See all records and their values',
    write: 'See, create, change, merge and delete records',
  },
  object_configuration: {
    read: 'See objects and their attributes',
    write: 'See, create, change and delete objects and attributes',
  },
  list_entry: { read: 'See the entries of lists', write: 'See, create, change and delete entries of lists' },
  list_configuration: {
    read: 'See lists and their attributes',
    write: 'See, create, change and delete lists and their attributes',
  },
  activity_record: {
    read: 'See the records of activities, such as phone calls',
    write: 'See, create, change and delete records of activities',
  },
  activity_configuration: {
    read: 'See activities and their attributes',
    write: 'See, create, change and delete activities and their attributes',
  },
  public_collection: {
    read: 'See lists shared with the workspace',
    write: 'See and change lists shared with the workspace',
  },
  private_collection: {
    read: 'See all lists, including private ones',
    write: 'See and change all lists, including private ones',
  },
  comment: { read: 'See comments', write: 'See, write and delete comments' },
  task: { read: 'See tasks', write: 'See, create, change and delete tasks' },
  note: { read: 'See notes', write: 'See, write and delete notes' },
  meeting: { read: 'See meetings', write: 'See, create and change meetings' },
  call_recording: {
    read: 'See call recordings and their transcripts',
    write: 'See, add and delete call recordings and transcripts',
  },
  webhook: {
    read: 'See webhooks and their URLs',
    write: 'See, create, change and delete webhooks, which send data to other services',
  },
  file: { read: 'See and download files', write: 'See, download, upload and delete files' },
  email: {
    read: 'See senders, recipients, subjects and times of emails',
    write: 'See senders, recipients, subjects and times of emails',
  },
  sequence_unsubscribe: {
    read: 'See which addresses unsubscribed from sequences',
    write: 'See and add addresses that unsubscribed from sequences',
  },
}

/** A scope that is newer than this console has no text. */
export function textOfScope({ scope, area, level }: Pick<ConsentScope, 'scope' | 'area' | 'level'>): string {
  const texts = Object.entries(TEXTS).find(([known]) => known === area)?.[1]
  return (level === 'read' ? texts?.read : texts?.write) ?? scope
}
