import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

test('an attribute is created, archived, missing in the API, and restored with its values', async ({ page }) => {
  await page.goto('/settings/objects')
  await page.getByRole('link', { name: 'Companies' }).click()
  await page.getByRole('button', { name: 'New attribute' }).click()
  const dialog = page.getByRole('dialog', { name: 'New attribute' })
  await dialog.getByRole('radio', { name: 'Number' }).check()
  await dialog.getByLabel('Title').fill('Customer number')
  await expect(dialog.getByLabel('Slug')).toHaveValue('customer_number')
  await dialog.getByRole('checkbox', { name: 'Unique' }).check()
  await dialog.getByLabel('Description').press('Control+Enter')
  await expect(page.getByText('Customer number created')).toBeVisible()
  const row = page.getByRole('listitem').filter({ hasText: 'Customer number' })
  await expect(row.getByText('Unique', { exact: true })).toBeVisible()

  const { v2 } = await consoleOf(page.request)
  const made = await v2('POST', '/objects/companies/records', {
    data: { values: { name: 'Acme', customer_number: 42 } },
  })
  const record = `/objects/companies/records/${made.body.data.id.record_id}`

  await page.getByRole('button', { name: 'Archive Customer number' }).click()
  await expect(page.getByText('Customer number archived')).toBeVisible()
  const archived = page.getByRole('list', { name: 'Archived attributes' })
  await expect(archived.getByText('Customer number')).toBeVisible()
  expect((await v2('GET', record)).body.data.values.customer_number).toBeUndefined()

  await archived.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('Customer number restored')).toBeVisible()
  await expect(archived).toHaveCount(0)
  expect((await v2('GET', record)).body.data.values.customer_number[0].value).toBe(42)

  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect(archived.getByText('Customer number')).toBeVisible()
})

test('options and statuses are created, renamed, archived and restored', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const input = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
  await v2('POST', '/objects/deals/attributes', { data: { title: 'Size', api_slug: 'size', type: 'select', ...input } })
  await v2('POST', '/objects/deals/attributes', {
    data: { title: 'Phase', api_slug: 'phase', type: 'status', ...input },
  })

  await page.goto('/settings/objects/deals')
  await page.getByRole('button', { name: 'New attribute' }).click()
  const dialog = page.getByRole('dialog', { name: 'New attribute' })
  await dialog.getByRole('radio', { name: 'Select' }).check()
  await dialog.getByLabel('Title').fill('Shape')
  await dialog.getByLabel('Options').fill('Round\n\n Flat \n')
  await dialog.getByRole('button', { name: 'Create attribute' }).click()
  await expect(page.getByText('Shape created')).toBeVisible()
  expect((await v2('GET', '/objects/deals/attributes/shape/options')).body.data).toMatchObject([
    { title: 'Round' },
    { title: 'Flat' },
  ])

  await page.goto('/settings/objects/deals/size')
  const options = page.getByRole('list', { name: 'Options' })
  for (const title of ['Small', 'Larg']) {
    await page.getByLabel('New option').fill(title)
    await page.getByLabel('New option').press('Enter')
    await expect(options.getByText(title)).toBeVisible()
  }
  await page.getByLabel('New option').fill('small')
  await page.getByLabel('New option').press('Enter')
  await expect(page.getByRole('alert')).toBeVisible()
  await options.getByRole('button', { name: 'Edit Larg' }).click()
  await page.getByRole('dialog').getByLabel('Title').fill('Large')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(options.getByText('Large')).toBeVisible()
  await options.getByRole('button', { name: 'Archive Small' }).click()
  await expect(options.getByText('Archived')).toBeVisible()
  await options.getByRole('button', { name: 'Restore' }).click()
  await expect(options.getByText('Archived')).toHaveCount(0)

  await page.goto('/settings/objects/deals/phase')
  await page.getByLabel('New status').fill('Won')
  await page.getByLabel('New status').press('Enter')
  const statuses = page.getByRole('list', { name: 'Statuses' })
  await statuses.getByRole('button', { name: 'Edit Won' }).click()
  await page.getByLabel('Celebrate').check()
  await page.getByRole('spinbutton', { name: 'Target time' }).fill('3')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(statuses.getByText('Within 3 days')).toBeVisible()
  const { data } = (await v2('GET', '/objects/deals/attributes/phase/statuses')).body
  expect(data).toMatchObject([{ title: 'Won', celebration_enabled: true, target_time_in_status: 'P3D' }])
})

test('an object and a list are created and edited, and a default value applies', async ({ page }) => {
  await page.goto('/settings/objects')
  await page.getByRole('button', { name: 'New object' }).click()
  await page.getByLabel('Plural name').fill('Projects')
  await page.getByLabel('Singular name').fill('Project')
  await page.getByRole('button', { name: 'Create object' }).click()
  await expect(page).toHaveURL(/\/settings\/objects\/projects$/)

  await page.getByRole('button', { name: 'New attribute' }).click()
  await page.getByLabel('Title').fill('Code name')
  await page.getByRole('button', { name: 'Create attribute' }).click()
  await page.getByRole('link', { name: 'Code name' }).click()
  await page.getByLabel('Default').fill('Untitled')
  await page.getByRole('button', { name: 'Save default' }).click()
  await expect(page.getByText('Default value updated')).toBeVisible()
  const { v2 } = await consoleOf(page.request)
  const record = await v2('POST', '/objects/projects/records', { data: { values: {} } })
  expect(record.body.data.values.code_name[0].value).toBe('Untitled')

  await page.getByLabel('Slug').fill('secret_name')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page).toHaveURL(/\/projects\/secret_name$/)

  await page.goto('/settings/lists')
  await page.getByRole('button', { name: 'New list' }).click()
  await page.getByLabel('Name').fill('Roadmap')
  await page.getByLabel('Record type').selectOption({ label: 'Projects' })
  await page.getByLabel('Workspace access').selectOption({ label: 'Can view' })
  await page.getByRole('button', { name: 'Create list' }).click()
  await expect(page).toHaveURL(/\/settings\/lists\/roadmap$/)
  expect((await v2('GET', '/lists/roadmap')).body.data).toMatchObject({
    parent_object: ['projects'],
    workspace_access: 'read-only',
    workspace_member_access: [{ level: 'full-access' }],
  })
})

test('a formula is written with completions and a sample, and its values follow the records', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const object = { api_slug: 'quotes', singular_noun: 'Quote', plural_noun: 'Quotes' }
  await v2('POST', '/objects', { data: object })
  const input = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
  for (const [title, api_slug, type] of [
    ['Name', 'name', 'text'],
    ['Unit price', 'unit_price', 'currency'],
    ['Amount', 'amount', 'number'],
  ])
    await v2('POST', '/objects/quotes/attributes', { data: { title, api_slug, type, ...input } })
  const made = await v2('POST', '/objects/quotes/records', {
    data: { values: { name: 'First quote', unit_price: 12.5, amount: 4 } },
  })
  const record = `/objects/quotes/records/${made.body.data.id.record_id}`

  await page.goto('/settings/objects/quotes')
  await page.getByRole('button', { name: 'New attribute' }).click()
  const dialog = page.getByRole('dialog', { name: 'New attribute' })
  await dialog.getByRole('radio', { name: 'Formula' }).check()
  const editor = dialog.getByRole('textbox', { name: 'Formula' })
  await editor.click()
  await page.keyboard.type('unit_pric * amont')
  await expect(dialog.getByText('column "unit_pric" does not exist. Perhaps you meant "unit_price".')).toBeVisible()
  await editor.press('Control+a')
  // Typing over a marked word would let the browser copy its style inline, which the content security policy refuses.
  await editor.press('Delete')
  await page.keyboard.type('unit_pr')
  await dialog.getByRole('option', { name: 'unit_price' }).click()
  await expect(editor).toHaveText('unit_price')
  await page.keyboard.type(' * amount')
  await expect(dialog.getByText('Result: number, currency, rating')).toBeVisible()
  await expect(dialog.getByRole('row', { name: 'First quote 50' })).toBeVisible()
  await dialog.getByRole('checkbox', { name: 'Record changes in the history and as events' }).check()
  await dialog.getByRole('radio', { name: 'Currency' }).check()
  await dialog.getByLabel('Title').fill('Total')
  await expect(dialog.getByRole('checkbox', { name: 'Required' })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Create attribute' }).click()
  await expect(page.getByText('Total created')).toBeVisible()
  expect((await v2('GET', record)).body.data.values.total[0].currency_value).toBe(50)

  await page.goto('/settings/objects/quotes/unit_price')
  await page.getByRole('button', { name: 'Archive' }).click()
  await expect(page.getByText('Computed attributes name the attribute "unit_price": "total".')).toBeVisible()

  await page.goto('/settings/objects/quotes/total')
  await expect(page.getByText('Computed by a formula, with history')).toBeVisible()
  const later = page.getByRole('textbox', { name: 'Formula' })
  await later.click()
  await later.press('Control+End')
  await page.keyboard.type(' * 2')
  await expect(page.getByRole('row', { name: 'First quote 100' })).toBeVisible()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Attribute updated')).toBeVisible()

  await page.goto(record.replace('/records', ''))
  await expect(page.getByText('$100').first()).toBeVisible()
  await expect(page.getByTitle('Formula: unit_price * amount * 2').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Edit Total' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Why this value of Total' }).click()
  const why = page.getByRole('dialog', { name: 'Why this value: Total' })
  await expect(why.getByText('12.5 * 4 * 2')).toBeVisible()
  await expect(why.getByText('$100', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.goto('/objects/quotes')
  await expect(page.getByRole('columnheader', { name: 'Total' })).toBeVisible()
  await expect(page.getByText('$100').first()).toBeVisible()

  await page.goto('/settings/objects/quotes')
  await page.getByRole('button', { name: 'New attribute' }).click()
  await dialog.getByRole('radio', { name: 'Formula' }).check()
  await editor.click()
  await page.keyboard.type('current_date - created_at::date')
  await expect(dialog.getByText('Reads the clock: values change by themselves, days in UTC')).toBeVisible()
  await expect(dialog.getByRole('checkbox', { name: 'Record changes' })).toHaveCount(0)
  await dialog.getByLabel('Title').fill('Days open')
  await dialog.getByRole('button', { name: 'Create attribute' }).click()
  await expect(page.getByText('Days open created')).toBeVisible()
  await page.goto('/settings/objects/quotes/days_open')
  await expect(page.getByText('Computed by a formula that reads the clock')).toBeVisible()
  await page.goto(record.replace('/records', ''))
  await page.getByRole('button', { name: 'Why this value of Days open' }).click()
  await expect(page.getByText('The formula reads the clock.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'History of Days open' })).toHaveCount(0)
})

test('a look-up and a rollup are chosen, shown with a sample, and follow the linked records', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const input = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
  await v2('POST', '/objects', { data: { api_slug: 'trips', singular_noun: 'Trip', plural_noun: 'Trips' } })
  const config = { record_reference: { allowed_objects: ['companies'] } }
  for (const attribute of [
    { title: 'Name', api_slug: 'name', type: 'text' },
    { title: 'Costs', api_slug: 'costs', type: 'currency' },
    { title: 'Customer', api_slug: 'customer', type: 'record-reference', config },
  ])
    await v2('POST', '/objects/trips/attributes', { data: { ...input, ...attribute } })
  const made = await v2('POST', '/objects/companies/records', {
    data: { values: { name: 'Trip maker', description: 'Travels a lot' } },
  })
  const customer = made.body.data.id.record_id
  for (const [name, costs] of [
    ['To Oslo', 100],
    ['To Rome', 50],
  ])
    await v2('POST', '/objects/trips/records', { data: { values: { name, costs, customer } } })

  await page.goto('/settings/objects/trips')
  await page.getByRole('button', { name: 'New attribute' }).click()
  const dialog = page.getByRole('dialog', { name: 'New attribute' })
  await dialog.getByRole('radio', { name: 'Look-up' }).check()
  await dialog.getByLabel('Through').selectOption({ label: 'Customer' })
  await dialog.getByLabel('Attribute of the linked record').selectOption({ label: 'Description' })
  await expect(dialog.getByRole('row', { name: 'To Oslo Travels a lot' })).toBeVisible()
  await dialog.getByLabel('Title').fill('About the customer')
  await dialog.getByRole('button', { name: 'Create attribute' }).click()
  await expect(page.getByText('About the customer created')).toBeVisible()

  await page.goto('/settings/objects/companies')
  await page.getByRole('button', { name: 'New attribute' }).click()
  await dialog.getByRole('radio', { name: 'Rollup' }).check()
  await dialog.getByLabel('Records or entries that link here').selectOption({ label: 'Trips: Customer' })
  await dialog.getByLabel('Function').selectOption({ label: 'Sum' })
  await dialog.getByLabel('Attribute', { exact: true }).selectOption({ label: 'Costs' })
  await expect(dialog.getByRole('row', { name: 'Trip maker 150' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Add condition' }).click()
  await dialog.getByRole('option', { name: 'Name' }).click()
  await dialog.getByRole('textbox', { name: 'Filter value' }).fill('Rome')
  await expect(dialog.getByRole('row', { name: 'Trip maker 50' })).toBeVisible()
  await dialog.getByRole('checkbox', { name: 'Record changes in the history and as events' }).check()
  await dialog.getByRole('radio', { name: 'Currency' }).check()
  await dialog.getByLabel('Title').fill('Costs of trips')
  await dialog.getByRole('button', { name: 'Create attribute' }).click()
  await expect(page.getByText('Costs of trips created')).toBeVisible()

  await page.goto('/settings/objects/companies/costs_of_trips')
  await expect(page.getByText('Computed from linked records, with history')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Filter value' })).toHaveValue('Rome')
  await expect(page.getByRole('row', { name: 'Trip maker 50' })).toBeVisible()
  await page.getByRole('button', { name: /^Attribute: Name/ }).click()
  // What depends on another record, the day or the person cannot be stored.
  const choices = page.getByRole('listbox', { name: 'Attributes' })
  await expect(choices.getByRole('option', { name: /^Customer/ })).toHaveCount(1)
  await choices.getByRole('option', { name: 'Costs' }).click()
  expect(await page.getByLabel('Comparison').locator('option').allTextContents()).not.toContain('is relative to today')
  await page.getByLabel('Comparison').selectOption({ label: 'is at least' })
  await page.getByRole('textbox', { name: 'Filter value' }).fill('80')
  await expect(page.getByRole('row', { name: 'Trip maker 100' })).toBeVisible()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Attribute updated')).toBeVisible()
  const { computed: stored } = (await v2('GET', '/objects/companies/attributes/costs_of_trips')).body.data
  expect(stored.rollup.filter).toEqual({ costs: { $gte: 80 } })
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Filter value' })).toHaveValue('80')
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  await page.getByLabel('Filter as JSON').fill('{"costs": {"$relative": "today"}}')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText('so its filter cannot depend on the time or the reader')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(page.getByRole('row', { name: 'Trip maker 150' })).toBeVisible()
  await page.getByLabel('Function').selectOption({ label: 'Maximum' })
  await page.getByLabel('Attribute', { exact: true }).selectOption({ label: 'Costs' })
  await expect(page.getByRole('row', { name: 'Trip maker 100' })).toBeVisible()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Attribute updated')).toBeVisible()

  await page.goto(`/objects/companies/${customer}`)
  await expect(page.getByTitle('Rollup: max (costs), trips.customer').first()).toBeVisible()
  await expect(page.getByText('$100').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Edit Costs of trips' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Why this value of Costs of trips' }).click()
  const why = page.getByRole('dialog', { name: 'Why this value: Costs of trips' })
  await expect(why.getByRole('row', { name: 'To Rome $50' })).toBeVisible()
  await expectAccessible(page)
  await why.getByRole('link', { name: 'To Oslo' }).click()
  await page.getByRole('button', { name: 'Why this value of About the customer' }).click()
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Trip maker' })).toBeVisible()

  const { body: found } = await v2('POST', '/objects/trips/records/query', { filter: { name: 'To Rome' } })
  await v2('PATCH', `/objects/trips/records/${found.data[0].id.record_id}`, { data: { values: { costs: 700 } } })
  await page.goto(`/objects/companies/${customer}?tab=activity`)
  const changed = page.getByRole('listitem').filter({ hasText: 'System changed Costs of trips' })
  await expect(changed.first()).toContainText('$700')

  const list = { name: 'Travellers', api_slug: 'travellers', parent_object: 'companies' }
  await v2('POST', '/lists', { data: { ...list, workspace_access: 'full-access', workspace_member_access: [] } })
  await v2('POST', '/lists/travellers/entries', {
    data: { parent_object: 'companies', parent_record_id: customer, entry_values: {} },
  })
  const computed = { rollup: { through: 'travellers', function: 'count' } }
  const counted = { ...input, title: 'Times listed', api_slug: 'times_listed', type: 'number', computed }
  expect((await v2('POST', '/objects/companies/attributes', { data: counted })).status).toBe(200)
  await page.goto(`/objects/companies/${customer}`)
  await page.getByRole('button', { name: 'Why this value of Times listed' }).click()
  await expect(page.getByRole('dialog').getByRole('row', { name: /^Added / })).toHaveCount(1)
})
