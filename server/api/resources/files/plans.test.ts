/** Every list of files reads a range of an index that has its order, however many files a record has. */

import { beforeAll, expect, test } from 'bun:test'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'

const FILES = 20_000

const service = useTestService()
let record: string
let folder: string
beforeAll(async () => {
  record = await listClient(service).record()
  folder = await fileClient(service).folder(record)
  const { db, workspaceId } = service
  // Half of the entries are on the record: a tenth in the folder, a tenth connected.
  await db.sql`
    insert into relata.files (workspace_id, id, object_id, record_id, file_type, name, parent_folder_id, storage_provider,
      external_provider_file_id, created_by, created_at)
    select ${workspaceId}, gen_random_uuid(), f.object_id, case when n % 2 = 0 then f.record_id else gen_random_uuid() end,
      case when n % 10 = 0 then 'connected-folder' else 'folder' end, case when n % 10 > 0 then 'Folder ' || n end,
      case when n % 10 = 2 then f.id end, case when n % 10 = 0 then 'box' end, case when n % 10 = 0 then n::text end,
      0, timestamptz '2024-01-01' + n * interval '1 minute'
    from relata.files f, generate_series(1, ${FILES}::int) n`
  await db.sql`analyze relata.files`
})

const FORMS: readonly (readonly [query: string, indexes: RegExp])[] = [
  ['', /files_of_record/],
  ['&parent_folder_id=FOLDER', /files_of_folder/],
  ['&parent_folder_id=null', /files_of_top_level/],
  ['&storage_provider=box', /files_of_provider/],
  ['&storage_provider=relata', /files_of_(?:provider|record)/],
]
test.each(FORMS)('?object=people&record_id=…%s', async (form, indexes) => {
  const path = `/v2/files?object=people&record_id=${record}${form.replace('FOLDER', folder)}&limit=2`
  const first = await service.request('GET', path)
  expect(first.body.data).toHaveLength(2)
  for (const cursor of ['', `&cursor=${first.body.pagination.next_cursor}`]) {
    const plans = await plansOf(service, () => service.request('GET', path + cursor))
    const [plan = ''] = plans.filter((each) => each.includes('on files'))
    expect(plan).toMatch(indexes)
    expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
  }
})
