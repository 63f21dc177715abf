/**
 * The tabs of a record page, in their order. To add one: a component with the properties of `RecordTabProps`, and its line here.
 * A tab is created when it is opened, and again for another record.
 */

import type { Component } from 'svelte'
import type { Activity } from '../../../api/data-model/activities'
import type { RecordTypePath } from '../../../api/data-model/attributes'
import { listEntriesOf } from '../../../api/records/entities'
import { listThreads } from '../../../api/comments/comments'
import { listTasks } from '../../../api/tasks/tasks'
import { activitiesReferringTo, activityTabId } from '../../../state/referring-activities'
import { countAttached, type RecordCounts } from '../../../api/records/record-counts'
import { countReferring } from '../../activities/referring-records'

export interface RecordTabProps {
  /** The slug of the object. */
  readonly slug: string
  readonly recordId: string
  readonly recordName: string
  /** Called after a change of which no event is sent. */
  readonly onchanged?: () => void
}

export interface RecordTab {
  /** As `?tab=` names it. */
  readonly id: string
  readonly title: string
  /** Absent for the overview, which the page renders itself. */
  // A tab has the properties of `RecordTabProps` and its own.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly load?: () => Promise<{ default: Component<any> }>
  /** Further properties of the component. */
  readonly properties?: object
  /** The number beside the title. It is read again after events of these kinds (`task`, `note`) that may concern the record. */
  readonly count?: {
    readonly read: (slug: string, recordId: string, signal: AbortSignal) => Promise<number>
    readonly kinds: readonly string[]
  }
  /**
   * The label of an action at the top of the page, such as "New note". It opens the tab with `?new=1`; the component then starts
   * a new item and removes `new` from the search.
   */
  readonly newLabel?: string
  /** The activity whose records the tab lists and logs. */
  readonly logs?: Activity
}

/** A tab shows a larger count as `99+`. */
const MAX_COUNT = 100

/** Records of activities have no other tab. */
const OVERVIEW: RecordTab = { id: 'overview', title: 'Overview' }

/** The number of one kind of what is attached to the record. */
const countOf = (name: keyof RecordCounts, kinds: readonly string[]): NonNullable<RecordTab['count']> => ({
  read: async (slug, recordId) => (await countAttached(slug, recordId))[name],
  kinds,
})

const MEETINGS: RecordTab = {
  id: 'meetings',
  title: 'Meetings',
  load: () => import('../../meetings/RecordMeetings.svelte'),
  count: countOf('meetings', []),
}

export const LISTS = {
  id: 'lists',
  title: 'Lists',
  load: () => import('./lists/RecordLists.svelte'),
  count: {
    read: async (slug, recordId, signal) => (await listEntriesOf(slug, recordId, signal)).length,
    kinds: ['list-entry'],
  },
} satisfies RecordTab

const RECORD_TABS: readonly RecordTab[] = [
  OVERVIEW,
  { id: 'activity', title: 'Activity', load: () => import('./activity/RecordActivity.svelte') },
  {
    id: 'notes',
    title: 'Notes',
    load: () => import('../../notes/RecordNotes.svelte'),
    count: countOf('notes', ['note']),
    newLabel: 'New note',
  },
  {
    id: 'tasks',
    title: 'Tasks',
    load: () => import('../../tasks/RecordTasks.svelte'),
    count: {
      read: async (slug, recordId, signal) => {
        const query = { linked_object: slug, linked_record_id: recordId, is_completed: false, limit: MAX_COUNT }
        return (await listTasks(query, signal)).length
      },
      kinds: ['task'],
    },
    newLabel: 'New task',
  },
  MEETINGS,
  {
    id: 'files',
    title: 'Files',
    load: () => import('../../files/RecordFiles.svelte'),
    count: countOf('files', []),
  },
  {
    id: 'comments',
    title: 'Comments',
    load: () => import('../../comments/RecordComments.svelte'),
    count: {
      read: async (slug, recordId, signal) => {
        const threads = await listThreads({ kind: 'record', object: slug, id: recordId }, signal)
        return threads.filter(({ comments }) => comments[0]?.resolved_at === null).length
      },
      kinds: ['comment'],
    },
  },
  LISTS,
]

/** The tabs of records of an object or an activity. */
export const tabsOf = ({ kind, slug }: RecordTypePath): readonly RecordTab[] =>
  kind === 'activities'
    ? [OVERVIEW]
    : RECORD_TABS.flatMap((tab) => (tab === MEETINGS ? [tab, ...activityTabs(slug)] : tab))

/** A tab for each activity whose records can refer to records of the object. */
const activityTabs = (objectSlug: string): readonly RecordTab[] =>
  activitiesReferringTo(objectSlug).map((referring) => ({
    id: activityTabId(referring.activity.api_slug),
    title: referring.activity.plural_noun,
    load: () => import('../../activities/ReferringRecords.svelte'),
    properties: { referring },
    count: {
      read: (slug, recordId, signal) => countReferring(referring, { slug, recordId }, signal),
      kinds: ['activity-record'],
    },
    logs: referring.activity,
  }))

/** On a wide page, the values and the lists of the record are beside the tabs. */
const BESIDE: readonly RecordTab[] = [OVERVIEW, LISTS]

export const tabsBesideValues = (type: RecordTypePath): readonly RecordTab[] =>
  tabsOf(type).filter((tab) => !BESIDE.includes(tab))

/** The first one for a tab that does not exist. */
export const findTab = (tabs: readonly RecordTab[], id: string | null): RecordTab =>
  tabs.find((tab) => tab.id === id) ?? tabs[0] ?? OVERVIEW
