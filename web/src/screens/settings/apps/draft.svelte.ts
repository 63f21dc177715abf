/** The state of the form of an app. */

import type { App, AppInput } from '../../../api/oauth/apps'

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

export class AppDraft {
  name = $state('')
  description = $state('')
  developerName = $state('')
  websiteUrl = $state('')
  logoUrl = $state('')
  /** One URI per line. */
  redirectUris = $state('')
  scopes = $state.raw<AppInput['scopes']>([])
  isPublic = $state(false)
  isPublished = $state(false)
  usesRefreshTokens = $state(false)
  allowsPlainPkce = $state(false)

  static of(app: App): AppDraft {
    const draft = new AppDraft()
    draft.name = app.name
    draft.description = app.description ?? ''
    draft.developerName = app.developer_name ?? ''
    draft.websiteUrl = app.website_url ?? ''
    draft.logoUrl = app.logo_url ?? ''
    draft.redirectUris = app.redirect_uris.join('\n')
    draft.scopes = app.scopes
    draft.isPublic = app.is_public
    draft.isPublished = app.is_published
    draft.usesRefreshTokens = app.uses_refresh_tokens
    draft.allowsPlainPkce = app.allows_plain_pkce
    return draft
  }

  get input(): AppInput {
    return {
      name: this.name.trim(),
      description: orNull(this.description),
      developer_name: orNull(this.developerName),
      website_url: orNull(this.websiteUrl),
      logo_url: orNull(this.logoUrl),
      is_published: this.isPublished,
      redirect_uris: this.redirectUris.split(/\s+/).filter((uri) => uri !== ''),
      scopes: this.scopes,
      allows_plain_pkce: this.allowsPlainPkce,
      uses_refresh_tokens: this.usesRefreshTokens,
    }
  }

  /** Whether the required fields have values. */
  get isComplete(): boolean {
    const { name, redirect_uris, scopes } = this.input
    return name !== '' && redirect_uris.length > 0 && scopes.length > 0
  }
}
