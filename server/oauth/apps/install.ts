import type { App } from './apps'

/**
 * An app that is not published yet can be installed in the workspace that owns it and nowhere else.
 * See docs/reference/access-and-oauth.md (Apps, Consent).
 */
export const canBeInstalledIn = (app: App, workspaceId: string): boolean =>
  app.is_published || app.workspace_id === workspaceId
