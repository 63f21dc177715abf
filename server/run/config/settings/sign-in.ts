/** The OpenID Connect provider at which members sign in. */

import { parseIssuer, parseText, parseWord } from '#run/config/setting-parsers'
import { optional, required } from './setting'

export const SIGN_IN_SETTINGS = {
  oidcIssuer: optional({
    name: 'RELATA_OIDC_ISSUER',
    otherwise: 'members sign in with passwords',
    means: 'The issuer of the OpenID Connect provider of all workspaces.',
    read: parseIssuer,
  }),
  oidcClientId: optional({
    name: 'RELATA_OIDC_CLIENT_ID',
    otherwise: 'none',
    means: 'The client id of this service at that provider.',
    read: parseWord,
  }),
  oidcClientSecret: optional({
    name: 'RELATA_OIDC_CLIENT_SECRET',
    otherwise: 'none',
    means: 'The client secret of this service at that provider.',
    read: parseText,
    isSecret: true,
  }),
  oidcName: required({
    name: 'RELATA_OIDC_NAME',
    fallback: 'single sign-on',
    means: 'The name of that provider on the sign-in page.',
    read: parseText,
  }),
}
