/** The commands that import email and calendar files. See docs/import.md. */

import { SYSTEM_ACTOR } from '#engine/data-model/model'
import { ImportError } from '#transfer/import/import-context'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { importMessages } from '#transfer/mail-files/import-messages'
import { normaliseAddress } from '#crm/mailboxes/email'
import { openMailbox } from '#crm/mailboxes/insert-emails'
import { trimEnd } from '#base/text/csv-line'
import { CommandError, defineWorkspaceCommand, getNamedMember, UsageError } from '#run/cli/command'
import { createProblemsFile } from '#run/cli/import/problems-file'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { RawMessage } from '#transfer/mail-files/raw-message'
import { readMessages } from '#transfer/mail-files/read-messages'
import { readLines } from '#transfer/mail-files/read-lines'
import { importCalendar } from '#transfer/calendar-files/import-calendar'

/** Skipped messages do not fail the command: the summary counts them, and the errors file lists them. */
export const mailImport = defineWorkspaceCommand({
  name: 'mail import',
  summary: 'Imports senders, recipients, subjects and times of messages. Importing a file again changes nothing.',
  positionals: ['<file.mbox|file.eml|folder>'],
  options: {
    member: {
      kind: 'text',
      value: '<email>',
      description: 'The member whose mailbox it is.',
      isRequired: true,
    },
    address: {
      kind: 'texts',
      value: '<email>',
      description:
        'A further address of the member. Messages from the addresses of the member are outbound. Can be repeated.',
    },
    errors: {
      kind: 'text',
      value: '<file>',
      description: 'The file that lists what was not imported. Default: <file>.errors.csv.',
    },
  },
  async run({ id }, { options, positionals: [path = ''] }, { db, now, print }) {
    const { context } = await openBackgroundContext(db, id, now, () => SYSTEM_ACTOR)
    const member = getNamedMember(context().model, options.member)
    const ownAddresses = parseAddresses([member.email_address, ...options.address])
    const mailbox = await openMailbox(db, id, member, now())
    const run = { context: context(), mailbox, ownAddresses }
    await listProblems(options.errors ?? `${trimEnd(path, '/')}.errors.csv`, print, async (listener) => {
      const { read, created, repeated, skipped } = await importMessages(run, openMessages(path), listener)
      return `${read} messages read: ${created} created, ${repeated} unchanged, ${skipped} skipped`
    })
    return 0
  },
})

function parseAddresses(texts: readonly string[]): ReadonlySet<string> {
  return new Set(
    texts.map((text) => {
      const address = normaliseAddress(text)
      if (address === undefined) throw new UsageError(`--address must be an email address, not "${text}".`)
      return address
    }),
  )
}

// Opens the files with messages that a command names.

/** The messages of an mbox file, of a file with one message, or of all `.eml` and `.mbox` files in a folder. */
async function* openMessages(path: string): AsyncGenerator<readonly RawMessage[]> {
  const files = await filesOf(path)
  for (const file of files) {
    for await (const some of readMessages(file, Bun.file(file).stream()))
      yield files.length === 1 ? some : some.map((message) => ({ ...message, file: basename(file) }))
  }
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new CommandError(`There is no file "${path}".`)
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path)).filter((name) => /\.(?:eml|mbox)$/i.test(name)).toSorted()
  if (names.length === 0) throw new CommandError(`The folder "${path}" has no .eml and no .mbox files.`)
  return names.map((name) => join(path, name))
}

/** Skipped events do not fail the command: the summary counts them, and the errors file lists them. */
export const calendarImport = defineWorkspaceCommand({
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
  },
  async run({ id }, { options, positionals: [path = ''] }, { db, now, print }) {
    if (!(await Bun.file(path).exists())) throw new CommandError(`There is no file "${path}".`)
    const { context } = await openBackgroundContext(db, id, now, (model) => getNamedMember(model, options.member).actor)
    const calendar = {
      context,
      lines: () => readLines(Bun.file(path).stream()),
      memberAddress: getNamedMember(context().model, options.member).email_address,
    }
    await listProblems(options.errors ?? `${path}.errors.csv`, print, async (listener) => {
      const { read, created, updated, deleted, unchanged, skipped } = await importCalendar(calendar, listener)
      const changed = `${created} meetings created, ${updated} updated, ${deleted} deleted`
      return `${read} events read: ${changed}, ${unchanged} unchanged, ${skipped} skipped`
    })
    return 0
  },
})

type ProblemsFile = ReturnType<typeof createProblemsFile>

/** Runs an import, prints what it returns, and lists in a file what was not imported. */
async function listProblems(
  path: string,
  print: (line: string) => void,
  run: (listener: { readonly onProgress: () => void; readonly onProblem: ProblemsFile['add'] }) => Promise<string>,
): Promise<void> {
  const problems = createProblemsFile(path)
  const summary = await run({ onProgress: () => {}, onProblem: problems.add })
    .catch((error: unknown) => {
      throw error instanceof ImportError ? new CommandError(error.message) : error
    })
    .finally(() => problems.close())
  print(summary)
  if ((await problems.close()) > 0) print(`${path} lists what was not imported.`)
}
