-- The keys of the operator with which secrets are encrypted, without the keys themselves. See docs/decisions/secrets.md.

create table relata.secret_keys (
  -- The beginning of the SHA-256 of the key.
  id text primary key,
  -- A fixed text that is encrypted with the key. A process whose key does not decrypt it does not start.
  check_value text not null,
  -- New secrets are encrypted with this key. The others are being replaced.
  is_current boolean not null,
  created_at timestamptz not null default now()
);

create unique index secret_keys_current on relata.secret_keys (is_current) where is_current;

alter table relata.workspaces alter column secret drop default, alter column secret type text;
