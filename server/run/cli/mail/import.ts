import { SYSTEM_ACTOR } from '#engine/data-model/model'
import { ImportError } from '#transfer/import/import-context'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { importMessages, type MessageCounts } from '#transfer/mail-files/import-messages'
import { normaliseAddress } from '#crm/mailboxes/email'
import { openMailbox } from '#crm/mailboxes/insert-emails'
import { trimEnd } from '#base/text/csv-line'
import { CommandError, defineCommand, UsageError } from '#run/cli/command'
import { getNamedMember, getNamedWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'
import { createProblemsFile } from '#run/cli/import/problems-file'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { RawMessage } from '#transfer/mail-files/raw-message'
import { readMessages } from '#transfer/mail-files/read-messages'

/** Skipped messages do not fail the command: the summary counts them, and the errors file lists them. */
export const mailImport = defineCommand({
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
    workspace: WORKSPACE_OPTION,
  },
  async run({ options, positionals: [path = ''] }, { db, now, print }) {
    const { id } = await getNamedWorkspace(db, options.workspace)
    const { context } = await openBackgroundContext(db, id, now, () => SYSTEM_ACTOR)
    const member = getNamedMember(context().model, options.member)
    const ownAddresses = parseAddresses([member.email_address, ...options.address])
    const mailbox = await openMailbox(db, id, member, now())
    const problemsPath = options.errors ?? `${trimEnd(path, '/')}.errors.csv`
    const problems = createProblemsFile(problemsPath)
    const run = { context: context(), mailbox, ownAddresses }
    const listener = { onProgress: () => {}, onProblem: problems.add }
    const counts = await importMessages(run, openMessages(path), listener)
      .catch((error: unknown) => {
        throw error instanceof ImportError ? new CommandError(error.message) : error
      })
      .finally(() => problems.close())
    print(describeCounts(counts))
    if ((await problems.close()) > 0) print(`${problemsPath} lists what was not imported.`)
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

const describeCounts = ({ read, created, repeated, skipped }: MessageCounts): string =>
  `${read} messages read: ${created} created, ${repeated} unchanged, ${skipped} skipped`

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
