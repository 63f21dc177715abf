import type { RequestContext } from '../../context'
import { type EventMeeting } from '../../calendar-files/parse-event'
import { readMeetings } from '../../calendar-files/read-meetings'
import { ApiError } from '../../errors/api-error'
import { openImportContext } from '../../import/import-context'
import { ImportError } from '../../import/import-error'
import { readLines } from '../../mail-files/read-lines'
import { createMeeting } from '../../resources/meetings/create'
import { timestampFromMicros } from '../../timing/clock'
import { CommandError, type CommandContext, defineCommand } from '../command'
import { getMember } from '../find-member'
import { getWorkspace, WORKSPACE_OPTION } from '../find-workspace'
import { createProblemsFile, type ProblemsFile } from '../import/problems-file'

const DAY_MS = 86_400_000
/** Occurrences of recurring events are imported from this long ago until this far ahead. */
const PAST_MS = 2 * 365 * DAY_MS
const FUTURE_MS = 365 * DAY_MS

/** Skipped events do not fail the command: the summary counts them, and the errors file lists them. */
export const calendarImport = defineCommand({
  name: 'calendar import',
  summary: 'Imports the events of an iCalendar file as meetings. Importing a file again changes nothing.',
  positionals: ['<file.ics>'],
  options: {
    member: { kind: 'text', value: '<email>', description: 'The member whose calendar it is.', isRequired: true },
    errors: {
      kind: 'text',
      value: '<file>',
      description: 'The file that lists what was not imported. Default: <file.ics>.errors.csv.',
    },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options, positionals: [path = ''] }, command) {
    const { id } = await getWorkspace(command.db, options.workspace)
    if (!(await Bun.file(path).exists())) throw new CommandError(`There is no file "${path}".`)
    const problemsPath = options.errors ?? `${path}.errors.csv`
    const problems = createProblemsFile(problemsPath)
    const counts = await importCalendar(command, { workspaceId: id, path, member: options.member }, problems)
      .catch((error: unknown) => {
        throw error instanceof ImportError ? new CommandError(error.message) : error
      })
      .finally(() => problems.close())
    const { events, created, unchanged, skipped } = counts
    command.print(`${events} events read: ${created} meetings created, ${unchanged} unchanged, ${skipped} skipped`)
    if ((await problems.close()) > 0) command.print(`${problemsPath} lists what was not imported.`)
    return 0
  },
})

interface CalendarImport {
  readonly workspaceId: string
  readonly path: string
  /** The email address of the member. */
  readonly member: string
}

async function importCalendar(
  { db, now }: CommandContext,
  { workspaceId, path, member }: CalendarImport,
  problems: ProblemsFile,
) {
  const { context } = await openImportContext(db, workspaceId, now, (model) => getMember(model, member).actor)
  const startedAt = now()
  const nowMs = startedAt / 1000
  const file = {
    lines: () => readLines(Bun.file(path).stream()),
    window: { from: nowMs - PAST_MS, until: nowMs + FUTURE_MS },
    memberAddress: getMember(context().model, member).email_address,
  }
  const counts = { events: 0, created: 0, unchanged: 0, skipped: 0 }
  for await (const { line, meetings, problem } of readMeetings(file)) {
    counts.events++
    if (problem !== undefined) {
      counts.skipped++
      await problems.add({ line, ...problem })
    }
    for (const meeting of meetings) {
      const outcome = await createOrFind(context(), meeting, timestampFromMicros(startedAt))
      if (outcome === 'created' || outcome === 'unchanged') counts[outcome]++
      else {
        counts.skipped++
        await problems.add({ line, outcome: 'skipped', column: '', value: meeting.title, reason: outcome.reason })
      }
    }
  }
  return counts
}

async function createOrFind(
  context: RequestContext,
  meeting: EventMeeting,
  startedAt: string,
): Promise<'created' | 'unchanged' | { readonly reason: string }> {
  try {
    const { data } = await createMeeting(context, meeting)
    return data.created_at >= startedAt ? 'created' : 'unchanged'
  } catch (error) {
    if (error instanceof ApiError) return { reason: error.message }
    throw error
  }
}
