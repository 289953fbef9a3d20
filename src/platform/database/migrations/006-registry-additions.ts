/**
 * The turned clock; RCS assets; and what lets lists stay fast: one wide index that brand filters are
 * answered from, how many brands each thousand of rows has, and the trigrams of their names.
 */
export const registryAdditions = `
create table registry_clock (
  id integer primary key check (id = 1),
  turned_by_ms integer not null
);
create table registry_assets (
  asset_id text primary key,
  brand_id text not null,
  name_key text not null,
  record text not null,
  created_at integer not null
);
create unique index registry_assets_by_name on registry_assets (brand_id, name_key);
create index registry_numbers_by_phone on registry_numbers (phone_number, is_current, id);

drop index registry_brands_by_csp;
drop index registry_brands_by_name;
create index registry_brands_listed on registry_brands
  (csp_id, status, id, entity_type, identity_status, state, country, is_mock, is_auth_plus, display_key);

create table registry_brand_blocks (
  csp_id text not null,
  status text not null,
  block integer not null,
  brands integer not null,
  primary key (csp_id, status, block)
) without rowid;
insert into registry_brand_blocks (csp_id, status, block, brands)
  select csp_id, status, id / 1024, count(*) from registry_brands group by 1, 2, 3;
create trigger registry_brand_block_added after insert on registry_brands begin
  insert into registry_brand_blocks (csp_id, status, block, brands)
  values (new.csp_id, new.status, new.id / 1024, 1)
  on conflict (csp_id, status, block) do update set brands = brands + 1;
end;
create trigger registry_brand_block_moved after update of status on registry_brands
when old.status <> new.status begin
  update registry_brand_blocks set brands = brands - 1
  where csp_id = old.csp_id and status = old.status and block = old.id / 1024;
  insert into registry_brand_blocks (csp_id, status, block, brands)
  values (new.csp_id, new.status, new.id / 1024, 1)
  on conflict (csp_id, status, block) do update set brands = brands + 1;
end;

create virtual table registry_brand_names using fts5(display_key, content='', tokenize='trigram');
insert into registry_brand_names (rowid, display_key) select id, display_key from registry_brands;
create trigger registry_brand_name_added after insert on registry_brands begin
  insert into registry_brand_names (rowid, display_key) values (new.id, new.display_key);
end;
create trigger registry_brand_name_changed after update of display_key on registry_brands
when old.display_key <> new.display_key begin
  insert into registry_brand_names (registry_brand_names, rowid, display_key)
  values ('delete', old.id, old.display_key);
  insert into registry_brand_names (rowid, display_key) values (new.id, new.display_key);
end;
`
