import { CommandError, defineRemoteCommand, UsageError } from '#run/cli/command'
import { readUrl } from '#run/cli/read-arguments'
import { type ApiClient, type ClientOptions, createApiClient, isJsonObject } from './api/api-client'
import { copyWorkspace, matchMembers } from './copy-workspace'
import { createProblems, createTally, openState } from './copy-context'

/** Copies a workspace of another service over the API of both. See docs/moving-in.md. */
export const copyCommand = defineRemoteCommand({
  name: 'copy',
  summary: 'Copies a workspace from another service with the same API. Running it again copies what changed.',
  options: {
    from: { kind: 'text', value: '<url>', description: 'The address of the source.', isRequired: true },
    token: {
      kind: 'text',
      value: '<key>',
      description: 'An API key of the source that can read; - reads it from the first line of standard input.',
      isRequired: true,
    },
    to: { kind: 'text', value: '<url>', description: 'The address of the target. Default: RELATA_BASE_URL.' },
    'to-token': {
      kind: 'text',
      value: '<key>',
      description: 'An API key of the target that can write; - reads it from the next line of standard input.',
      isRequired: true,
    },
    state: {
      kind: 'text',
      value: '<file>',
      description: 'The file that remembers what was copied. Default: relata-copy.jsonl.',
    },
    problems: {
      kind: 'text',
      value: '<file>',
      description: 'The CSV file of what could not be copied. Default: relata-copy-problems.csv.',
    },
  },
  async runRemotely({ options }, { baseUrl, print, signal }) {
    const readLine = await standardInput(options.token === '-' || options['to-token'] === '-')
    const key = (text: string) => (text === '-' ? readLine() : text)
    return runCopy({
      source: { url: readBase('from', options.from), key: key(options.token), signal },
      target: { url: readBase('to', options.to ?? baseUrl), key: key(options['to-token']), signal },
      statePath: options.state ?? 'relata-copy.jsonl',
      problemsPath: options.problems ?? 'relata-copy-problems.csv',
      print,
    })
  },
})

async function standardInput(isRead: boolean): Promise<() => string> {
  const lines = isRead ? (await Bun.stdin.text()).split('\n') : []
  return () => {
    const line = lines.shift()?.trim() ?? ''
    if (line === '') throw new CommandError('Standard input has no further line with a key.')
    return line
  }
}

/** Without a trailing slash and without the version of the API, which the paths of the requests begin with. */
function readBase(option: string, text: string): string {
  const { href, search, hash } = readUrl(option, text)
  if (search !== '' || hash !== '') throw new UsageError(`--${option} is an address without "?" and "#".`)
  return href.replace(/\/(?:v2\/?)?$/, '')
}

/** Runs one copy: checks the keys, copies the workspace, and writes the report. */
interface CopyOptions {
  readonly source: ClientOptions
  readonly target: ClientOptions
  readonly statePath: string
  readonly problemsPath: string
  print(line: string): void
}

/** Returns 1 when an item was not copied. */
export async function runCopy({ print, problemsPath, statePath, ...options }: CopyOptions): Promise<number> {
  const [source, target] = [createApiClient(options.source), createApiClient(options.target)]
  const ends = { source: await workspaceOf(source), target: await workspaceOf(target) }
  if (ends.source === ends.target) throw new CommandError('The source and the target are the same workspace.')
  const state = openState(statePath, ends)
  const problems = createProblems()
  const tally = createTally(print)
  try {
    const members = await matchMembers(source, target, problems)
    await copyWorkspace({ source, target, state, problems, tally, members })
  } finally {
    await problems.write(problemsPath)
    print(`${problems.count} problems are in ${problemsPath}.`)
  }
  return tally.notCopied === 0 ? 0 : 1
}

async function workspaceOf(client: ApiClient): Promise<string> {
  const answer = await client.request('GET', '/v2/self')
  const { active, workspace_id } = isJsonObject(answer) ? answer : {}
  if (active !== true || typeof workspace_id !== 'string')
    throw new CommandError(`The service at ${client.url} does not accept this key.`)
  return workspace_id
}
