/** Actors, members and teams. No passwords, tokens, sessions, invitations and second factors. */

import { PICTURES_PATH } from '#access/members/pictures'
import { defineFile, hex } from './define-file'

const refersToBlob = (table: string) =>
  `exists (select from relata."${table}" r where r.workspace_id = t.workspace_id and r.blob_digest = t.digest)`

/** Whether a blob `t` belongs to an exported row. Others may belong to rows that are not exported. */
export const IS_EXPORTED_BLOBFile = `(${['files', 'call_recordings', 'member_pictures'].map(refersToBlob).join(' or ')})`

export const blobsFile = defineFile({
  name: 'blobs',
  table: 'blobs',
  where: IS_EXPORTED_BLOBFile,
  order: 't.digest',
  columns: { digest: hex('digest'), size: 'bigint' },
})

export const actorsFile = defineFile({
  name: 'actors',
  table: 'actors',
  order: 't.number',
  columns: { number: 'int', type: 'text', id: 'uuid' },
})

export const membersFile = defineFile({
  name: 'members',
  table: 'workspace_members',
  order: 't.id',
  columns: {
    id: 'uuid',
    email_address: 'text',
    first_name: 'text',
    last_name: 'text',
    access_level: 'text',
    former_access_level: 'text',
    // The path of a picture contains the id of the workspace; the import makes it again.
    avatar_url: {
      type: 'text',
      select: `case when t.avatar_url not like '${PICTURES_PATH}/%' then t.avatar_url end`,
    },
    external_id: 'text',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    user_deleted_at: 'timestamptz',
    account_email_address: {
      type: 'text',
      select: '(select a.email_address from relata.accounts a where a.id = t.account_id)',
      insert: null,
    },
  },
  added: { account_id: 'uuid' },
})

export const memberPicturesFile = defineFile({
  name: 'member-pictures',
  table: 'member_pictures',
  order: 't.workspace_member_id',
  columns: { workspace_member_id: 'uuid', blob_digest: hex('blob_digest'), content_type: 'text' },
})

export const inboxesFile = defineFile({
  name: 'inboxes',
  table: 'inboxes',
  order: 't.member_id',
  columns: { member_id: 'uuid', sends_digest: 'boolean' },
})

export const teamsFile = defineFile({
  name: 'teams',
  table: 'teams',
  order: 't.id',
  columns: { id: 'uuid', name: 'text', external_id: 'text', created_at: 'timestamptz', updated_at: 'timestamptz' },
})

export const teamMembersFile = defineFile({
  name: 'team-members',
  table: 'team_members',
  order: 't.team_id, t.member_id',
  columns: { team_id: 'uuid', member_id: 'uuid' },
})
