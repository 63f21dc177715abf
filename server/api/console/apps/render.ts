import type { AppSecret } from '#access/oauth/apps/app-secrets'
import type { App } from '#access/oauth/apps/apps'
import type { GrantRow } from '#access/oauth/tokens/grants'
import { timestampFromPostgres } from '#base/timing/clock'

/** Renders an app with its secrets. The workspace is in the path. */
export function renderApp({ workspace_id: _, created_at, ...app }: App, secrets: readonly AppSecret[]) {
  return {
    ...app,
    client_id: app.id,
    secrets: secrets.filter(({ app_id }) => app_id === app.id).map(renderSecret),
    created_at: timestampFromPostgres(created_at),
  }
}

const renderSecret = ({ id, hint, created_at, last_used_at }: AppSecret) => ({
  id,
  hint,
  created_at: timestampFromPostgres(created_at),
  last_used_at: last_used_at === null ? null : timestampFromPostgres(last_used_at),
})

export const renderGrant = ({
  app_name,
  developer_name,
  logo_url,
  created_at,
  last_used_at,
  app_id,
  ...grant
}: GrantRow) => ({
  ...grant,
  app: { id: app_id, name: app_name, developer_name, logo_url },
  created_at: timestampFromPostgres(created_at),
  last_used_at: last_used_at === null ? null : timestampFromPostgres(last_used_at),
})
