/** Runs every example of the reference in the order of its page, in a new workspace for each page. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createRequest, type Request } from '../../support/http/client'
import { type Browser, openBrowser, SETTINGS } from '../../support/http/oauth'
import { startService } from '../../support/service/service'
import { forThisFile } from '../../support/service/service-per-file'
import { until } from '../../support/until'
import { type Example, type ExampleRequest, readExamples } from './examples'
import { differences, type Named, replaceNames } from './placeholders'

const FOLDER = join(import.meta.dir, '../../../docs/reference')
const PAGES = [...new Bun.Glob('*.md').scanSync({ cwd: FOLDER })].sort()

/** The targets of webhooks must be https, so the URLs of test endpoints are, too. */
const service = forThisFile(() => startService({ ...SETTINGS, RELATA_BASE_URL: 'https://crm.example.com' }))
let browser: Browser
let scopes: readonly string[]
beforeAll(async () => {
  browser = await openBrowser(service())
  const { body } = await service().request('GET', '/v2/self')
  scopes = body.scope.split(' ')
})

/** Creates a workspace and returns requests with a key that has the scopes of the first key. */
async function newWorkspace(page: string): Promise<Request> {
  const workspace = await browser.ask('POST', '/workspaces', { name: 'My workspace', slug: page.replace('.md', '') })
  const key = await browser.ask('POST', `/workspaces/${workspace.data.id}/keys`, { name: 'Key', scopes })
  return createRequest(service().url, String(key.data.token))
}

describe('docs/reference', () => {
  test('has pages with examples', async () => {
    const counts = await Promise.all(PAGES.map(async (page) => (await examplesOf(page)).length))
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(8)
  })

  test.each(PAGES)('%s shows the responses of the service', async (page) => {
    const examples = await examplesOf(page)
    if (examples.length === 0) return
    const send = await newWorkspace(page)
    const named: Named = new Map()
    const problems: string[] = []
    for (const example of examples) problems.push(...(await run(send, page, example, named)))
    expect(problems).toEqual([])
  })
})

const examplesOf = async (page: string): Promise<Example[]> => readExamples(await Bun.file(join(FOLDER, page)).text())

/** Returns the differences between the response and the page. */
async function run(send: Request, page: string, { line, request, answer }: Example, named: Named) {
  const prefix = `${page}:${line} ${request.method} ${request.path}: `
  let found: string[] = []
  const look = async () => {
    found = await compare(send, request, answer, named)
    return found.length === 0
  }
  try {
    if (request.isEventual) await until(look, { why: () => `${prefix}${found.join('; ')}` })
    else await look()
  } catch (error) {
    found = [String(error)]
  }
  return found.map((difference) => prefix + difference)
}

async function compare(send: Request, request: ExampleRequest, answer: Example['answer'], named: Named) {
  const { status, headers, body } = await send(...replaced(request, named))
  if (status !== answer.status) return [`${answer.status} is shown, ${status} ${JSON.stringify(body)} was answered`]
  const ofHeaders = Object.entries(answer.headers).flatMap(([name, value]) =>
    differences(value, headers.get(name), named, `header ${name}`),
  )
  return answer.body === undefined ? ofHeaders : [...ofHeaders, ...differences(JSON.parse(answer.body), body, named)]
}

function replaced({ method, path, headers, body }: ExampleRequest, named: Named): Parameters<Request> {
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, replaceNames(value, named)] as const),
  )
  const key = 'Authorization' in sent ? { key: null } : {}
  return [method, replaceNames(path, named), body && replaceNames(body, named), { ...key, headers: sent }]
}
