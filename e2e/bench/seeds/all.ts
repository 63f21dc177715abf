/** The rows beside people that workloads need. */

import type { Sql } from '#db/connect'
import type { Side } from '../measure/measure'
import type { SeedName, Workload } from '../workloads/workload'
import { makeEmails, makeFloorEmails } from './emails'
import { makeFloorLists, makeLists } from './entries'
import { makeFiles, makeFloorFiles } from './files'
import { makeFloorMeetings, makeMeetings } from './meetings'
import { makeFloorNotes, makeNotes } from './notes'
import { makeFloorRecordings, makeRecordings } from './recordings'
import { makeFloorTasks, makeTasks } from './tasks'
import { makeFloorThreads, makeThreads } from './threads'

export interface Seed {
  /** Makes the rows of the service. Those of an earlier run are kept. */
  make(sql: Sql, service: Side): Promise<void>
  /** Copies them to the floor. */
  makeFloor(sql: Sql): Promise<void>
}

const SEEDS: Readonly<Record<SeedName, Seed>> = {
  emails: { make: makeEmails, makeFloor: makeFloorEmails },
  entries: { make: makeLists, makeFloor: makeFloorLists },
  files: { make: makeFiles, makeFloor: makeFloorFiles },
  meetings: { make: makeMeetings, makeFloor: makeFloorMeetings },
  notes: { make: makeNotes, makeFloor: makeFloorNotes },
  recordings: { make: makeRecordings, makeFloor: makeFloorRecordings },
  tasks: { make: makeTasks, makeFloor: makeFloorTasks },
  threads: { make: makeThreads, makeFloor: makeFloorThreads },
}

/** Each seed once. */
export const seedsOf = (workloads: readonly Workload[]): readonly Seed[] =>
  [...new Set(workloads.flatMap(({ needs }) => needs ?? []))].map((name) => SEEDS[name])
