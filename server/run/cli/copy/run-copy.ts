/** Runs one copy: checks the keys, copies the workspace, and writes the report. */

import { CommandError } from '#run/cli/command'
import { type ApiClient, type ClientOptions, createApiClient, isJsonObject } from './api/api-client'
import { copyWorkspace, matchMembers } from './copy-workspace'
import { createProblems } from './problems'
import { openState } from './state-file'
import { createTally } from './tally'

export interface CopyOptions {
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
