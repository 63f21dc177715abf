/** An admin connects an assistant with the URL of the page: consent in the browser, tools, a call, and its place in the list. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { authorizationStore } from '#testing/assistants'
import { expectAccessible } from '../../support/accessible'
import { ADMIN, consoleOf, expect, signIn, test } from '../../support/journey'

/** The address at which a program on this device waits for the answer of the consent page. */
async function listen(): Promise<{ readonly redirect: string; close(): void }> {
  const server = createServer((_, response) => response.end('<title>Connected</title>Connected'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a server that listens on a port
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { redirect: `http://127.0.0.1:${port}/callback`, close }
}

test('an assistant is connected, calls a tool, and is revoked', async ({ page }) => {
  const name = `Librarian ${crypto.randomUUID().slice(0, 8)}`
  const { v2, settings } = await consoleOf(page.request)
  const person = { name: `Byron, Annabella ${name.slice(-8)}` }
  expect((await v2('POST', '/objects/people/records', { data: { values: person } })).status).toBe(200)

  await page.goto('/settings/assistants')
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption('Claude')
  const url = (await page.getByText(/^https?:\S+\/mcp$/).textContent()) ?? ''
  await expectAccessible(page)

  const device = await listen()
  const { stored, provider } = authorizationStore(name, device.redirect)
  const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider as never }) // it takes back what it stored
  const first = transport()
  const refusal = await new Client({ name, version: '1.0.0' }).connect(first).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(UnauthorizedError)

  // The address of the service names another host than that of these journeys, so the person signs in there first.
  await page.goto(stored.url?.href ?? '')
  await expect(page).toHaveURL(
    (at) => at.pathname === '/sign-in' && at.searchParams.get('next')?.startsWith('/authorize?') === true,
  )
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page.getByRole('heading', { name: new RegExp(`^${name} wants access to `) })).toBeVisible()
  await expect(page.getByText("This assistant registered itself, so its name isn't verified.")).toBeVisible()
  await expect(page.getByText("You'll be redirected to a program on this device")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Allow access' }).click()
  await expect(page).toHaveTitle('Connected')
  await first.finishAuth(new URL(page.url()).searchParams)
  device.close()

  const client = new Client({ name, version: '1.0.0' })
  await client.connect(transport())
  const { tools } = await client.listTools()
  expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['search_records', 'create_note']))
  const query = name.slice(-8)
  const answer = await client.callTool({ name: 'search_records', arguments: { query, objects: ['people'] } })
  expect(JSON.stringify(answer.content)).toContain(query)

  // A call is stored after its answer.
  const readCalls = async () => JSON.stringify((await settings('GET', '/assistants')).body.data.calls)
  await expect.poll(readCalls).toContain(name)
  await page.goto('/settings/assistants')
  const calls = page.getByRole('list', { name: 'Recent calls' }).getByRole('listitem')
  const call = calls.filter({ hasText: name })
  await expect(call).toContainText('search_records')
  const connected = page.getByRole('list', { name: 'Connected assistants' }).getByRole('listitem')
  await expect(connected.filter({ hasText: name })).toContainText('authorized by Ada Lovelace')
  await expectAccessible(page)

  await connected.filter({ hasText: name }).getByRole('button', { name: 'Revoke' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Revoke/ })
    .click()
  await expect(page.getByText(`Access revoked for ${name}`)).toBeVisible()
  await expect(client.callTool({ name: 'get_data_model', arguments: {} })).rejects.toThrow()
  await client.close()
})
