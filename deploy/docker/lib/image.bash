# shellcheck shell=bash
# What the Dockerfile says, done without a container engine.

dockerfile=deploy/docker/Dockerfile

# copy_context FOLDER: what `docker build .` is sent. Of the ignore file's forms only those that it uses are known here.
copy_context() {
  local folder=$1 line
  mkdir -p "$folder"
  # What git ignores is ignored there, too, and a file that is deleted but not committed is not there.
  git ls-files -z --cached --others --exclude-standard | xargs -0 -r ls -d 2>/dev/null | tar -c -T - | tar -x -C "$folder"
  while read -r line; do
    case $line in
      '' | '#'*) ;;
      '**/'*) find "$folder" -name "${line#\*\*/}" -prune -exec rm -rf {} + ;;
      '!'*) install -D -m 644 "${line#!}" "$folder/${line#!}" ;;
      *) rm -rf "${folder:?}/$line" ;;
    esac
  done <deploy/docker/Dockerfile.dockerignore
  # As narrow as a checkout can be: its owner's alone.
  chmod -R go-rwx "$folder"
  # Where it was fetched already, for the same hashes, it need not be fetched again.
  [[ ! -d .ci/runtime/node_modules ]] || cp -r .ci/runtime/node_modules "$folder/.ci/runtime/"
}

# run_lines STAGE: the commands of its RUN lines, without their mounts.
run_lines() {
  awk -v stage="$1" '/^FROM /{ here = ($NF == stage) } here && /^RUN /{ sub(/^RUN (--mount=[^ ]+ )*/, ""); print }' "$dockerfile"
}

# run_build_stage SOURCE TARGET: TARGET becomes what the image has as /opt/reelkeep.
run_build_stage() {
  local source=$1 target=$2 line
  while read -r line; do
    # Word by word, as a RUN line of this form is taken, and with no more of our environment than a build has.
    # shellcheck disable=SC2086
    (cd "$source" && env -i PATH="$PATH" HOME="$HOME" ${line//\/opt\/reelkeep/$target}) || return
  done < <(run_lines build)
}

# make_root ROOT SOURCE TARGET: a Debian as the image has it, with the service that lies in TARGET in it.
make_root() {
  local root=$1 source=$2 target=$3 line
  debootstrap --variant=minbase bookworm "$root" || return
  # The base image has security updates; debootstrap takes one suite only.
  local mirror
  mirror=$(sed -n 's/^deb \(\[.*\] \)\{0,1\}\([^ ]*\) bookworm .*/\2/p' "$root/etc/apt/sources.list" | head -1)
  [[ $mirror != *deb.debian.org/debian ]] ||
    echo "deb ${mirror}-security bookworm-security main" >>"$root/etc/apt/sources.list"
  mkdir "$root/steps"
  cp "$source"/deploy/docker/steps/* "$root/steps/"
  while read -r line; do
    # shellcheck disable=SC2086
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin $line || return
  done < <(run_lines runtime)
  rm -r "$root/steps"
  cp -r "$target" "$root/opt/reelkeep"
}

# check_image FOLDER: only what production needs is in it, it says what that is, and who runs it may read all of it and change none of it.
check_image() {
  local folder=$1 found
  found=$(find "$folder" -path "$folder/node_modules" -prune -o -name '*.test.ts' -print -quit)
  found+=$(find "$folder" -maxdepth 1 -name 'test*' -print)
  found+=$(find "$folder/node_modules/.pnpm" -maxdepth 1 \( -name 'vite*' -o -name 'typescript@*' \) -print)
  [[ -z $found ]] || { echo "rehearse: $found does not belong into an image" >&2; return 1; }
  found=$(find "$folder" ! -type l \( -perm /022 -o ! -user root \) -print -quit)
  [[ -z $found ]] || { echo "rehearse: $found could be changed by who runs it" >&2; return 1; }
  found=$(find "$folder" ! -type l ! -perm -a+r -print -quit -o -type d ! -perm -a+x -print -quit)
  [[ -z $found ]] || { echo "rehearse: $found could not be read by who runs it" >&2; return 1; }
  # shellcheck disable=SC2016
  "$folder/bin/node" -e '
    const { bomFormat, components } = JSON.parse(fs.readFileSync(process.argv[1]))
    const names = components.map(({ name }) => name)
    for (const name of ["fastify", "shaka-player", "onnxruntime-node"])
      if (!names.includes(name)) throw new Error(`the bill of materials lacks ${name}`)
    console.log(`        ${bomFormat} names ${components.length} packages`)' "$folder/sbom.cdx.json"
  echo "        /opt/reelkeep has $(du -sm "$folder" | cut -f1) MB"
  [[ ! -d $work/root ]] || echo "        the whole image has $(du -smx "$work/root" | cut -f1) MB, of $(wc -l <"$work/root/usr/share/reelkeep/debian-packages.tsv") packages of Debian"
}
