import { openBackgroundContext } from '#engine/entities/write/background-context'
import { ImportError } from '#transfer/import/import-context'
import { readLines } from '#transfer/mail-files/read-lines'
import { importCalendar } from '#transfer/calendar-files/import-calendar'
import { CommandError, defineCommand } from '#run/cli/command'
import { getNamedMember, getNamedWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'
import { createProblemsFile } from '#run/cli/import/problems-file'

/** Skipped events do not fail the command: the summary counts them, and the errors file lists them. */
export const calendarImport = defineCommand({
  name: 'calendar import',
  summary:
    'Imports the events of an iCalendar file as meetings. A newer file changes the meetings of events that changed.',
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
  async run({ options, positionals: [path = ''] }, { db, now, print }) {
    const { id } = await getNamedWorkspace(db, options.workspace)
    if (!(await Bun.file(path).exists())) throw new CommandError(`There is no file "${path}".`)
    const { context } = await openBackgroundContext(db, id, now, (model) => getNamedMember(model, options.member).actor)
    const calendar = {
      context,
      lines: () => readLines(Bun.file(path).stream()),
      memberAddress: getNamedMember(context().model, options.member).email_address,
    }
    const problemsPath = options.errors ?? `${path}.errors.csv`
    const problems = createProblemsFile(problemsPath)
    const counts = await importCalendar(calendar, { onProgress: () => {}, onProblem: problems.add })
      .catch((error: unknown) => {
        throw error instanceof ImportError ? new CommandError(error.message) : error
      })
      .finally(() => problems.close())
    const { read, created, updated, deleted, unchanged, skipped } = counts
    const changed = `${created} meetings created, ${updated} updated, ${deleted} deleted`
    print(`${read} events read: ${changed}, ${unchanged} unchanged, ${skipped} skipped`)
    if ((await problems.close()) > 0) print(`${problemsPath} lists what was not imported.`)
    return 0
  },
})
