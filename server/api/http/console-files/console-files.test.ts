import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { testService, type TestService } from '#testing/service'

let service: TestService
beforeAll(async () => {
  const { exitCode } = Bun.spawnSync([process.execPath, join(import.meta.dir, '../../../../web/build.ts')])
  expect(exitCode).toBe(0)
  service = await testService()
})
afterAll(() => service.close())

const get = (path: string, headers: Record<string, string> = {}) =>
  service.app.handle(new Request(`http://localhost${path}`, { headers }))

const page = async () => (await get('/objects')).text()
const assetOf = async () => /\/assets\/[^"]+\.js/.exec(await page())?.[0] ?? ''

describe("the console's page", () => {
  test.each([
    '/sign-in',
    '/sign-in/callback/installation',
    '/home',
    '/objects',
    '/objects/people/01a1fc37-fbb6-756c-b63c-db9c42eec983',
    '/lists/sales',
    '/settings/objects/deals/stage',
    '/reset-password/abc',
    '/invitations/abc',
    '/acme/objects',
    '/acme/objects/people/01a1fc37-fbb6-756c-b63c-db9c42eec983',
    '/acme/settings/objects/deals/stage',
    '/acme/person/01a1fc37-fbb6-756c-b63c-db9c42eec983',
    '/acme/deals/record/01a1fc37-fbb6-756c-b63c-db9c42eec983',
  ])('200 for %s, and no cache stores it', async (path) => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html;charset=utf-8'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).toContain('<div id="app">')
  })

  test.each([
    '/v2/nothing',
    '/v2/objects/record/x',
    '/v2/x/record/y',
    '/console/person/x',
    '/v2/tasks/x/y',
    '/console/objects/x',
    '/docs/settings',
    '/nothing',
    '/docs/person/x',
  ])('404 for %s, with an error body', async (path) => {
    const answer = await get(path)
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'not_found'])
  })

  const IN_BROWSERS = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

  test.each(['/nothing', '/nothing/here', '/docs/nothing', '/docs/person/x'])(
    '404 for %s in a browser, with the page of the console as its body',
    async (path) => {
      const answer = await get(path, IN_BROWSERS)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html;charset=utf-8'])
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(await answer.text()).toContain('<div id="app">')
    },
  )

  test.each(['/v2', '/v2/nothing', '/console/nothing', '/oauth/nothing', '/assets/nothing.js', '/.well-known/nothing'])(
    '404 for %s in a browser, with an error body',
    async (path) => {
      const answer = await get(path, IN_BROWSERS)
      expect([answer.status, (await answer.json()).code]).toEqual([404, 'not_found'])
    },
  )

  test('404 for another method, with an error body', async () => {
    const request = new Request('http://localhost/nothing/here', { method: 'POST', headers: IN_BROWSERS })
    const answer = await service.app.handle(request)
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'not_found'])
  })

  test('302 from / to the first page of the console', async () => {
    const answer = await get('/')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/home'])
  })

  test('allows scripts, styles and frames of its own origin only, and no other origin can read it', async () => {
    const { headers } = await get('/objects')
    const policy = headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy.split('; ')).toContain(part)
    }
    expect(policy).not.toContain('unsafe')
    expect(await page()).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+=/)
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('x-frame-options')).toBe('DENY')
  })
})

describe('files', () => {
  test('200 for the files that the page names, cached for a year, in an encoding that the browser accepts', async () => {
    const path = await assetOf()
    for (const [accepted, sent] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['', null],
    ] as const) {
      const answer = await get(path, { 'accept-encoding': accepted })
      expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, sent])
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(answer.headers.get('vary')).toBe('Accept-Encoding')
    }
  })

  test('304 for a file that the browser has', async () => {
    const etag = (await get('/theme.js')).headers.get('etag') ?? ''
    const again = await get('/theme.js', { 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await get('/theme.js', { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test.each(['/assets/nothing.js', '/assets/../../package.json', '/assets/%2e%2e/%2e%2e/package.json', '/assets/'])(
    '404 for %s',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )
})
