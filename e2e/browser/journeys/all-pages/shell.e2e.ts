import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

test('the palette finds records, pages and actions by keyboard', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const made = await v2('POST', '/objects/people/records', { data: { values: { name: 'Katherine Johnson' } } })
  await page.goto('/settings/account')
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('kather')
  const found = page.getByRole('listbox', { name: 'Search results' })
  await expect(found.getByRole('option', { name: 'Katherine Johnson' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/objects/people/${made.body.data.id.record_id}`)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('mem')
  await expect(found.getByRole('option', { name: 'Members Settings' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/settings\/members$/)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('dark')
  await expect(found.getByRole('option').first()).toContainText(/dark/i)
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the palette finds notes, tasks, files and comments, settings by other words, and recent records', async ({
  page,
}) => {
  const { v2 } = await consoleOf(page.request)
  const word = `quokka${Math.random().toString(36).slice(2, 8).replaceAll(/[0-9]/g, 'x')}`
  const made = await v2('POST', '/objects/people/records', { data: { values: { name: `Grace ${word}` } } })
  const { record_id } = made.body.data.id
  const note = { parent_object: 'people', parent_record_id: record_id, title: `Note ${word}`, format: 'plaintext' }
  expect((await v2('POST', '/notes', { data: { ...note, content: 'x' } })).status).toBe(200)
  const task = { content: `Call ${word}`, format: 'plaintext', deadline_at: null, is_completed: false }
  expect((await v2('POST', '/tasks', { data: { ...task, linked_records: [], assignees: [] } })).status).toBe(200)
  const folder = { object: 'people', record_id, file_type: 'folder', name: `Folder ${word}` }
  expect((await v2('POST', '/files', folder)).status).toBe(200)
  const [{ id: member }] = (await v2('GET', '/workspace_members')).body.data
  const author = { type: 'workspace-member', id: member.workspace_member_id }
  const comment = { format: 'plaintext', content: `About ${word}`, author, record: { object: 'people', record_id } }
  expect((await v2('POST', '/comments', { data: comment })).status).toBe(200)

  await page.goto(`/objects/people/${record_id}`)
  await expect(page.getByRole('heading', { level: 1, name: `Grace ${word}` })).toBeVisible()
  await page.goto('/tasks')
  await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible()
  const found = page.getByRole('listbox', { name: 'Search results' })
  await page.keyboard.press('Control+k')
  await expect(found.getByRole('group', { name: 'Recent' }).getByRole('option').first()).toContainText(`Grace ${word}`)
  await expectAccessible(page)
  await page.keyboard.type(word)
  for (const [group, name] of [
    ['Records', `Grace ${word}`],
    ['Notes', `Note ${word}`],
    ['Tasks', `Call ${word}`],
    ['Files', `Folder ${word}`],
    ['Comments', `About ${word}`],
  ] as const)
    await expect(found.getByRole('group', { name: group }).getByRole('option', { name })).toBeVisible()
  await found.getByRole('option', { name: `About ${word}` }).click()
  await expect(page).toHaveURL(/tab=comments/)
  await expect(page.getByText(`About ${word}`)).toBeVisible()

  for (const [query, name] of [
    ['invite', 'Members Settings'],
    ['archived', 'Attributes of People Settings'],
  ] as const) {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(query)
    await expect(found.getByRole('option', { name })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(found).toHaveCount(0)
  }
})

test('the outline of the navigation is there before the scripts of the console', async ({ page }) => {
  await page.goto('/objects/people')
  await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible()
  const navigation = await page.locator('.side').boundingBox()
  const search = await page.getByRole('button', { name: /^Search/ }).boundingBox()

  const scripts = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await scripts.promise
    await route.continue()
  })
  await page.reload({ waitUntil: 'commit' })
  const outline = page.locator('.frame-outline')
  await expect(outline).toBeVisible()
  expect(await outline.boundingBox()).toEqual(navigation)
  expect(await outline.locator('div').boundingBox()).toEqual(search)
  scripts.resolve()
  await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible()
  await expect(outline).toBeHidden()
})

test('the palette creates, imports, opens views and runs queries by keyboard', async ({ page }) => {
  const { v2, settings } = await consoleOf(page.request)
  const run = Math.random().toString(36).slice(2, 8)
  await v2('POST', '/objects', {
    data: { api_slug: `kites_${run}`, singular_noun: `Kite ${run}`, plural_noun: `Kites ${run}` },
  })
  const view = { title: `Red ones ${run}`, type: 'table', filter: {}, sorts: [] }
  expect((await v2('POST', `/objects/kites_${run}/views`, { data: view })).status).toBe(200)
  const query = { name: `Sum ${run}`, sql: 'select 40 + 2 as answer' }
  expect((await settings('POST', '/sql-queries', query)).status).toBe(200)
  await page.goto('/settings/account')
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  const first = page.getByRole('listbox', { name: 'Search results' }).getByRole('option').first()
  const take = async (text: string, label: string | RegExp) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
    await expect(first).toContainText(label)
    await page.keyboard.press('Enter')
  }

  await take(`new kite ${run}`, `New kite ${run}`)
  await expect(page.getByRole('dialog', { name: `New kite ${run}` })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(`/objects/kites_${run}`)
  await take(`import kites ${run}`, `Import kites ${run}`)
  await expect(page).toHaveURL(`/objects/kites_${run}/import`)
  await take(`red ones ${run}`, `Red ones ${run}`)
  await expect(page).toHaveURL(new RegExp(`/objects/kites_${run}\\?view=`))
  await take('new list', 'New list')
  await expect(page.getByRole('dialog', { name: 'New list' })).toBeVisible()
  await page.keyboard.press('Escape')
  await take(`sum ${run}`, `Sum ${run}`)
  await expect(page.getByRole('grid').getByText('42')).toBeVisible()
  await expect(page).toHaveURL(/\/sql\?query=[0-9a-f-]+$/)
  await take('audit', 'Audit log')
  await expect(page).toHaveURL('/settings/audit-log')
  await take(`attributes of kites ${run}`, `Attributes of Kites ${run}`)
  await expect(page).toHaveURL(`/settings/objects/kites_${run}`)
})

test('shortcuts open pages and are listed', async ({ page }) => {
  await page.goto('/settings/members')
  await expect(page.getByRole('heading', { name: 'Members', exact: true })).toBeVisible()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to objects')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await expect(page).toHaveURL(/\/objects\/people$/)
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Members', exact: true })).toBeVisible()
})

test('the `web_url` of a record opens the record, and an unknown URL opens “Page not found”', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const made = await v2('POST', '/objects/companies/records', { data: { values: { name: 'Bletchley' } } })
  await page.goto(new URL(made.body.data.web_url).pathname)
  await expect(page).toHaveURL(`/objects/companies/${made.body.data.id.record_id}`)
  for (const path of [
    '/nothing/person/1',
    '/settings/nothing',
    '/settings/objects/nothing',
    '/settings/apps/nothing',
  ]) {
    await page.goto(path)
    await expect(page.getByText(/Page not found|Object not found|Not found/)).toBeVisible()
  }
})

test('a failed request is shown and can be retried', async ({ page }) => {
  await page.route('**/console/api/workspaces/*/members', (route) => route.abort())
  await page.goto('/settings/members')
  await expect(page.getByText("Couldn't load members")).toBeVisible()
  await page.unroute('**/console/api/workspaces/*/members')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('list', { name: 'Members' })).toBeVisible()
})
