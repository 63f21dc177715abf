-- Sign-ins of members at the providers of their email accounts that have not returned. See docs/decisions/connected-accounts.md (Sign-in).

create table relata.account_sign_ins (
  workspace_id uuid not null references relata.all_workspaces on delete cascade,
  state_hash bytea not null,
  member_id uuid not null,
  provider text not null,
  code_verifier text not null,
  -- The account that is to be connected, or the id of the one whose member signs in again.
  account jsonb not null,
  expires_at timestamptz not null,
  primary key (workspace_id, state_hash),
  foreign key (workspace_id, member_id) references relata.workspace_members (workspace_id, id) on delete cascade
);

create index account_sign_ins_member on relata.account_sign_ins (workspace_id, member_id);

-- The provider at which the member signs in. Null for an account with a password.
alter table relata.connected_accounts add column provider text check (provider in ('google', 'microsoft', 'other'));
