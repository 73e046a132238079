// Made by Scripts/embed-resources (`make resources`); do not edit.
#include "Resources.h"

// sha256 862f7681ce13e042e4b10468990e4c032d2d015c375191a5fc7cb5b3a5452da0
static const unsigned char Templates_email_de_change_email_html[] = {
#embed "../../Templates/email/de/change-email.html"
};

// sha256 e9f707fd139d4246ee88575b85c6405c00f09995c0edf6852544bc96c3721645
static const unsigned char Templates_email_de_change_email_preheader_txt[] = {
#embed "../../Templates/email/de/change-email.preheader.txt"
};

// sha256 ffff03f19351715191501533d181e14b9f104b19a8b42b31d194cf338c0d0c25
static const unsigned char Templates_email_de_change_email_subject_txt[] = {
#embed "../../Templates/email/de/change-email.subject.txt"
};

// sha256 e10d2d7dac37a3921522786f58e186fa124f0267c711a93284cb328e11355ef2
static const unsigned char Templates_email_de_change_email_txt[] = {
#embed "../../Templates/email/de/change-email.txt"
};

// sha256 9575847312a8c283dc04ceedd0cf3428814a9b61edcb61d1e7b0a1e65612b783
static const unsigned char Templates_email_de_email_changed_html[] = {
#embed "../../Templates/email/de/email-changed.html"
};

// sha256 f54c6e3f63e439ef4c31664666af71097c0fe57e0b13a819b16ca80e50998cf3
static const unsigned char Templates_email_de_email_changed_preheader_txt[] = {
#embed "../../Templates/email/de/email-changed.preheader.txt"
};

// sha256 0290b26c50f0147c6e52173752797689f481dca2ce7eb9b5fdaa645bf5884223
static const unsigned char Templates_email_de_email_changed_subject_txt[] = {
#embed "../../Templates/email/de/email-changed.subject.txt"
};

// sha256 e8b1ba27f103815dcfe8f4be564c0ec606ed5dbbc66516a6da7fd35ca7103ba4
static const unsigned char Templates_email_de_email_changed_txt[] = {
#embed "../../Templates/email/de/email-changed.txt"
};

// sha256 a57d0e47437eb163e4e373190892c4d4f9fc072efd33e8dc9978424d3a3fcacf
static const unsigned char Templates_email_de_email_in_use_html[] = {
#embed "../../Templates/email/de/email-in-use.html"
};

// sha256 0834f16efc21a7b2ab8adece0f37496018c9b44d144f9e2150458842654f99c8
static const unsigned char Templates_email_de_email_in_use_preheader_txt[] = {
#embed "../../Templates/email/de/email-in-use.preheader.txt"
};

// sha256 5e9550d50ba88b79576aebe78fdb5d47510deb857ed3197bb036c4ea6a973407
static const unsigned char Templates_email_de_email_in_use_subject_txt[] = {
#embed "../../Templates/email/de/email-in-use.subject.txt"
};

// sha256 0578d3f2a7c4e9fbf7021080b582a0293b65a2c3757bfe5f8b37f097647eedf7
static const unsigned char Templates_email_de_email_in_use_txt[] = {
#embed "../../Templates/email/de/email-in-use.txt"
};

// sha256 ff8491374edd33665a7ad4d3e27e2a30d5614ed05124b40202ecdc4323185ec1
static const unsigned char Templates_email_de_sign_in_html[] = {
#embed "../../Templates/email/de/sign-in.html"
};

// sha256 7cf3e06bfcdc313de2678252276dcdceb84f62e3239641727e144da3486108e9
static const unsigned char Templates_email_de_sign_in_preheader_txt[] = {
#embed "../../Templates/email/de/sign-in.preheader.txt"
};

// sha256 0cd93596d00091f9f8fbcc94551c884046c11b8c16d3e5a2b9bef4bb05bf009e
static const unsigned char Templates_email_de_sign_in_subject_txt[] = {
#embed "../../Templates/email/de/sign-in.subject.txt"
};

// sha256 719687bbac037d636c8fc4a52cb91474d9653c54fe2393baea6cb47677d5f344
static const unsigned char Templates_email_de_sign_in_txt[] = {
#embed "../../Templates/email/de/sign-in.txt"
};

// sha256 a2288d49d1fa1752b7de6526cd17f4caa5671b55060232cad38f1bef8f86bb01
static const unsigned char Templates_email_de_unknown_device_txt[] = {
#embed "../../Templates/email/de/unknown-device.txt"
};

// sha256 4c493715a3cd51648c0f7cb3c2ac79c962d75a2f4e6a2d8feac3c48d47ddfcef
static const unsigned char Templates_email_de_verify_email_html[] = {
#embed "../../Templates/email/de/verify-email.html"
};

// sha256 5a71b2aa1d3dcd4b94ca078b98615ceeb0f81ba9c145a6c1328394e286d6988e
static const unsigned char Templates_email_de_verify_email_preheader_txt[] = {
#embed "../../Templates/email/de/verify-email.preheader.txt"
};

// sha256 34feece036f1adaf58c52cbfee1057dff4928364ca733564ff5ebf7dc73d0dac
static const unsigned char Templates_email_de_verify_email_subject_txt[] = {
#embed "../../Templates/email/de/verify-email.subject.txt"
};

// sha256 81790fc2c558437b84ae491c0e1d658ca5fa9f1b2011aaaf95234fbba0aaef14
static const unsigned char Templates_email_de_verify_email_txt[] = {
#embed "../../Templates/email/de/verify-email.txt"
};

// sha256 1f25a0efaff67a6c7e49aa002ca83c41cf8f722909c6f856651693fffd70c7e1
static const unsigned char Templates_email_en_change_email_html[] = {
#embed "../../Templates/email/en/change-email.html"
};

// sha256 77446bf8e06e71b84e6a08e968e7eff3354d02406d4a216044f0d81ad25a78f2
static const unsigned char Templates_email_en_change_email_preheader_txt[] = {
#embed "../../Templates/email/en/change-email.preheader.txt"
};

// sha256 043d263795276cfa75c98776eac62e5229b9fc70e4d7497a16373270f9254e18
static const unsigned char Templates_email_en_change_email_subject_txt[] = {
#embed "../../Templates/email/en/change-email.subject.txt"
};

// sha256 4068096d0726ff74d2354756150178201fb3fdab8c4dc6952ab9d3ee0f594761
static const unsigned char Templates_email_en_change_email_txt[] = {
#embed "../../Templates/email/en/change-email.txt"
};

// sha256 0c624682e9182e20cfa95b2253c117abf1dd5db9d22ce0ddee8e82a24048a60b
static const unsigned char Templates_email_en_email_changed_html[] = {
#embed "../../Templates/email/en/email-changed.html"
};

// sha256 03b24164bcbe7d135f264bbf170b7d98feb1748a3380b4af4f5e8bf65f5e2bbb
static const unsigned char Templates_email_en_email_changed_preheader_txt[] = {
#embed "../../Templates/email/en/email-changed.preheader.txt"
};

// sha256 ad265918ebbacfffc3bcb6a79037f6f67519c2db20c96277eff7d20a89a7bd3c
static const unsigned char Templates_email_en_email_changed_subject_txt[] = {
#embed "../../Templates/email/en/email-changed.subject.txt"
};

// sha256 8d57974487fb141b95e06c267670a56fd7952f789f0ea15abc14715422d68eab
static const unsigned char Templates_email_en_email_changed_txt[] = {
#embed "../../Templates/email/en/email-changed.txt"
};

// sha256 05283bb41dbc3293d9299dca5d6f2471afaa873b132dd757c869ec738099e346
static const unsigned char Templates_email_en_email_in_use_html[] = {
#embed "../../Templates/email/en/email-in-use.html"
};

// sha256 8db3b99e0f5068dc8c80fb0b1d7f3d425e6c51ee4ff1a37d87a50e473fe7616a
static const unsigned char Templates_email_en_email_in_use_preheader_txt[] = {
#embed "../../Templates/email/en/email-in-use.preheader.txt"
};

// sha256 2376d4c24d33f3106dd6096d364b5c08f5d70e3eeabc5b81cff36c1b3894e095
static const unsigned char Templates_email_en_email_in_use_subject_txt[] = {
#embed "../../Templates/email/en/email-in-use.subject.txt"
};

// sha256 220e3ae53b41301a8bb5c0ced0bfe35135fbe0e27aab8aa30e4e7d2c8e324b53
static const unsigned char Templates_email_en_email_in_use_txt[] = {
#embed "../../Templates/email/en/email-in-use.txt"
};

// sha256 f30dc1a8f2448660f6747960782aa53b25566af9c9fabeb8fc975416e34f7208
static const unsigned char Templates_email_en_sign_in_html[] = {
#embed "../../Templates/email/en/sign-in.html"
};

// sha256 08f750f24442cb238c70485f77ab25de75b634bc79dcf142c59931fa8347d6f7
static const unsigned char Templates_email_en_sign_in_preheader_txt[] = {
#embed "../../Templates/email/en/sign-in.preheader.txt"
};

// sha256 850591f07d7605b6c1522d4bfdc4e3d57f8ef4f27e743a3b8f665920d77b0ed6
static const unsigned char Templates_email_en_sign_in_subject_txt[] = {
#embed "../../Templates/email/en/sign-in.subject.txt"
};

// sha256 76e8113e54b5ad35df6589e97343602e8c0e038bd79b5efbb0120894fc1fb58b
static const unsigned char Templates_email_en_sign_in_txt[] = {
#embed "../../Templates/email/en/sign-in.txt"
};

// sha256 592d536f40802b5916788f7b2a7f5d83dd230985e2169eb7317ea48f31d70235
static const unsigned char Templates_email_en_unknown_device_txt[] = {
#embed "../../Templates/email/en/unknown-device.txt"
};

// sha256 3faa216cf033b057b31af781a59224e781cb3502c91b0ba03ea105756ec3ac1e
static const unsigned char Templates_email_en_verify_email_html[] = {
#embed "../../Templates/email/en/verify-email.html"
};

// sha256 4c4dd698c54c409063766807e145f1e5d946946b429225813cd43606ec2b41d9
static const unsigned char Templates_email_en_verify_email_preheader_txt[] = {
#embed "../../Templates/email/en/verify-email.preheader.txt"
};

// sha256 a85d5ba464c68e61dbf6a5e8fb364bc41a0a5915486c3fc6d9896e13b1be7fc6
static const unsigned char Templates_email_en_verify_email_subject_txt[] = {
#embed "../../Templates/email/en/verify-email.subject.txt"
};

// sha256 929e4cc839a53699db167bd81d3f12306b0fd1ef7bb314cf78e89d397ad5eb3e
static const unsigned char Templates_email_en_verify_email_txt[] = {
#embed "../../Templates/email/en/verify-email.txt"
};

// sha256 9a7baaa2ca996a77a9ed499c53494466802a7dfcadcfee1a77d32dabcff8b179
static const unsigned char Templates_email_es_change_email_html[] = {
#embed "../../Templates/email/es/change-email.html"
};

// sha256 38f4622f14ea4b514530f97ec8201205070ba861500797b6567fad74e7370dff
static const unsigned char Templates_email_es_change_email_preheader_txt[] = {
#embed "../../Templates/email/es/change-email.preheader.txt"
};

// sha256 83eb8826bd455a87c61995c01ac4278339e2d58c7d1837bf3e5953b448e0c346
static const unsigned char Templates_email_es_change_email_subject_txt[] = {
#embed "../../Templates/email/es/change-email.subject.txt"
};

// sha256 2d2dd9df51abc996637e5d72843be7a9cf52fd2cc283e106df333b8390082ed8
static const unsigned char Templates_email_es_change_email_txt[] = {
#embed "../../Templates/email/es/change-email.txt"
};

// sha256 6eb21f0db6d71028246af8d0983f44706a218c5db33fc0a0f2bc8ad2a9f974df
static const unsigned char Templates_email_es_email_changed_html[] = {
#embed "../../Templates/email/es/email-changed.html"
};

// sha256 40b125789c49647b175ae6218822bb21e9b2301a3aab9ebc850bf58f4bb6c823
static const unsigned char Templates_email_es_email_changed_preheader_txt[] = {
#embed "../../Templates/email/es/email-changed.preheader.txt"
};

// sha256 cb82ab0977e12e1d144f63aaf735519a729eca39f782abf84fcac9264df7d3ae
static const unsigned char Templates_email_es_email_changed_subject_txt[] = {
#embed "../../Templates/email/es/email-changed.subject.txt"
};

// sha256 5a20eba9198d7e805223e25eed1848bb49a8c90f48a24d54516b69572bdc2d4d
static const unsigned char Templates_email_es_email_changed_txt[] = {
#embed "../../Templates/email/es/email-changed.txt"
};

// sha256 8e5e148367f5396e7ce34fd6884ec5617daee8966ed8c81189ffb2ccf8493852
static const unsigned char Templates_email_es_email_in_use_html[] = {
#embed "../../Templates/email/es/email-in-use.html"
};

// sha256 8950bc17b39fb369a0c40313955bdf802423e3849a9349ac8b8f6e97311cc603
static const unsigned char Templates_email_es_email_in_use_preheader_txt[] = {
#embed "../../Templates/email/es/email-in-use.preheader.txt"
};

// sha256 59fafb28575a6731fac3b8753d1b605960fd0ca0d980c0af875528a9b4a931b6
static const unsigned char Templates_email_es_email_in_use_subject_txt[] = {
#embed "../../Templates/email/es/email-in-use.subject.txt"
};

// sha256 5db2c4e8ec3e9610573aa20ec70d8d1f009cc6c4bd0f75c156024a41f8dddd12
static const unsigned char Templates_email_es_email_in_use_txt[] = {
#embed "../../Templates/email/es/email-in-use.txt"
};

// sha256 fea777feac7065236e422ed8ccc2d81baa114ac0d561e96985c7eeaf4019a0e0
static const unsigned char Templates_email_es_sign_in_html[] = {
#embed "../../Templates/email/es/sign-in.html"
};

// sha256 fded596bdbcb51fe4e800ea7f76741dd07fc529efdd5a6baec382286a5f09603
static const unsigned char Templates_email_es_sign_in_preheader_txt[] = {
#embed "../../Templates/email/es/sign-in.preheader.txt"
};

// sha256 e7b618fefc1ea2e0f960b3c2a8a01381971ad65b8a3103cf20e194725ece9df1
static const unsigned char Templates_email_es_sign_in_subject_txt[] = {
#embed "../../Templates/email/es/sign-in.subject.txt"
};

// sha256 331cb005dd04a80c8be2c275eb49c9cc230a1d852674a880d5e70d9e2630ad25
static const unsigned char Templates_email_es_sign_in_txt[] = {
#embed "../../Templates/email/es/sign-in.txt"
};

// sha256 5dc581d89f0846b55875aa3b07a17de4bafd0e253dc617ced33b3739260fddff
static const unsigned char Templates_email_es_unknown_device_txt[] = {
#embed "../../Templates/email/es/unknown-device.txt"
};

// sha256 6bf0d8dc6ae49aa69b31de18be0969fe969f6ada7a3e8a7436e006e6a2a6fd6c
static const unsigned char Templates_email_es_verify_email_html[] = {
#embed "../../Templates/email/es/verify-email.html"
};

// sha256 d72fe77a97c5ebc3fd9484b9e5e0797ec92927285a438e166ad27a14990079dc
static const unsigned char Templates_email_es_verify_email_preheader_txt[] = {
#embed "../../Templates/email/es/verify-email.preheader.txt"
};

// sha256 84b8c8b825c776c22975fb904cdca7d194a9401fda421f3f2517ff3e5cab851c
static const unsigned char Templates_email_es_verify_email_subject_txt[] = {
#embed "../../Templates/email/es/verify-email.subject.txt"
};

// sha256 eab5b48a641483280f74ac422c2130de9bb42e3e88ee1cbf93ad7347cdcb0a7d
static const unsigned char Templates_email_es_verify_email_txt[] = {
#embed "../../Templates/email/es/verify-email.txt"
};

// sha256 c61070d87213fcab404e65d17b048781895dcef7fee518f77caf7f6120e7884c
static const unsigned char Templates_email_fr_change_email_html[] = {
#embed "../../Templates/email/fr/change-email.html"
};

// sha256 82c70c9502160cc8bb02a34d6ffb3b031a1555d046c623033c61673bb7f32e5b
static const unsigned char Templates_email_fr_change_email_preheader_txt[] = {
#embed "../../Templates/email/fr/change-email.preheader.txt"
};

// sha256 cbf3c0a7d58fdce8ba1e845a0a5e6008ae263810bfd62b0b8d24cb7c1d972a24
static const unsigned char Templates_email_fr_change_email_subject_txt[] = {
#embed "../../Templates/email/fr/change-email.subject.txt"
};

// sha256 37edd8fe4500c761167f629da55463ac8cbd34a13ab630d705ad804d40148aca
static const unsigned char Templates_email_fr_change_email_txt[] = {
#embed "../../Templates/email/fr/change-email.txt"
};

// sha256 00cbcf6146ccc2fd4d0fef89e982674a77a1e4cdff20ae2e006dfc675da29b81
static const unsigned char Templates_email_fr_email_changed_html[] = {
#embed "../../Templates/email/fr/email-changed.html"
};

// sha256 e0be1b55ee5c5212b4756cd72586fc69d16f100992d420c3af201a431c258040
static const unsigned char Templates_email_fr_email_changed_preheader_txt[] = {
#embed "../../Templates/email/fr/email-changed.preheader.txt"
};

// sha256 a5a3091a22f067bab1eb64a75ac724db68382d867181d4eeb237ad63260eaafd
static const unsigned char Templates_email_fr_email_changed_subject_txt[] = {
#embed "../../Templates/email/fr/email-changed.subject.txt"
};

// sha256 c0af8e79806260ffcc507d931b33e1fcbe0986fd8a47c7a44f0da2896d91e94a
static const unsigned char Templates_email_fr_email_changed_txt[] = {
#embed "../../Templates/email/fr/email-changed.txt"
};

// sha256 1e16a7c55f323e870fe76aa9fd220331b12abe8a3fe708508dae7744ea91f466
static const unsigned char Templates_email_fr_email_in_use_html[] = {
#embed "../../Templates/email/fr/email-in-use.html"
};

// sha256 6fdc30419c89a41f7e1124704647d55021809a24b533d723ce0e39332e45c77a
static const unsigned char Templates_email_fr_email_in_use_preheader_txt[] = {
#embed "../../Templates/email/fr/email-in-use.preheader.txt"
};

// sha256 b2b9a9beb0e096fdac94369c123e4ecdf56eee7e1341245cd942be22a62ac67b
static const unsigned char Templates_email_fr_email_in_use_subject_txt[] = {
#embed "../../Templates/email/fr/email-in-use.subject.txt"
};

// sha256 0bb791c228d3da6ac4c736f3673dbb099d89be2d6eecd910ee50923c422c0f0c
static const unsigned char Templates_email_fr_email_in_use_txt[] = {
#embed "../../Templates/email/fr/email-in-use.txt"
};

// sha256 a3f72add99ba5d34e9917929b7a8e342da6517e11ea7c6e684b0e77843547613
static const unsigned char Templates_email_fr_sign_in_html[] = {
#embed "../../Templates/email/fr/sign-in.html"
};

// sha256 2f1e3ffe3b086ae79bfce3d1f3e69da9fcc2beb511ac154df4c86712cc4effbd
static const unsigned char Templates_email_fr_sign_in_preheader_txt[] = {
#embed "../../Templates/email/fr/sign-in.preheader.txt"
};

// sha256 bdbeaac8b1884af4f2f24782724b1884ab62b2b79b57be210528162347e14035
static const unsigned char Templates_email_fr_sign_in_subject_txt[] = {
#embed "../../Templates/email/fr/sign-in.subject.txt"
};

// sha256 69528f7025f312b7ec9906e0eb85173ec565cdd41571a300f04f934c34ff8c13
static const unsigned char Templates_email_fr_sign_in_txt[] = {
#embed "../../Templates/email/fr/sign-in.txt"
};

// sha256 5f9b80ecfe5479d2a399fe6abc9bda520c92f1bf4aa99928351a6809292f35e2
static const unsigned char Templates_email_fr_unknown_device_txt[] = {
#embed "../../Templates/email/fr/unknown-device.txt"
};

// sha256 1416caec546ec06a0ba6f042db82f40ddad982ecc1452eb36505894611df23ed
static const unsigned char Templates_email_fr_verify_email_html[] = {
#embed "../../Templates/email/fr/verify-email.html"
};

// sha256 1a57016a4c8d2a7e852b1ca310f0f2c0482d589ef7f3e6167ce554a9240faae6
static const unsigned char Templates_email_fr_verify_email_preheader_txt[] = {
#embed "../../Templates/email/fr/verify-email.preheader.txt"
};

// sha256 fe21980701a9e4265466a1d4409eb3c338c3fab7c5d5d5344e359f19b6aae538
static const unsigned char Templates_email_fr_verify_email_subject_txt[] = {
#embed "../../Templates/email/fr/verify-email.subject.txt"
};

// sha256 0723bd7a233c55e8895964e68d0724092393fba2b7ed588064284107a389f692
static const unsigned char Templates_email_fr_verify_email_txt[] = {
#embed "../../Templates/email/fr/verify-email.txt"
};

// sha256 72fa21485ab7f39c551190cc0f9b54a5ba8b34561a0d8c0f830f64716c557e37
static const unsigned char Templates_email_id_change_email_html[] = {
#embed "../../Templates/email/id/change-email.html"
};

// sha256 b3ee663b3cef5f4e1c2a5928d62be46f8f5a3f1d6a3890bd14126e3001ec7fc7
static const unsigned char Templates_email_id_change_email_preheader_txt[] = {
#embed "../../Templates/email/id/change-email.preheader.txt"
};

// sha256 56b7e39503bebec7855c7d6cc92645b6d2373458b64417b8f8c52d950b520f36
static const unsigned char Templates_email_id_change_email_subject_txt[] = {
#embed "../../Templates/email/id/change-email.subject.txt"
};

// sha256 534da3725185dbadad4153117036d7d9224ba500e298896cee409706c249b4f5
static const unsigned char Templates_email_id_change_email_txt[] = {
#embed "../../Templates/email/id/change-email.txt"
};

// sha256 cb99fdf14e8d5e639e3908a3d8d9959ce86ffdcc77ff5e66da5f0791fbce946d
static const unsigned char Templates_email_id_email_changed_html[] = {
#embed "../../Templates/email/id/email-changed.html"
};

// sha256 fec04d9c1c4289d63da538b560faa65ddb4c82c066a14760dac10ad669a460a2
static const unsigned char Templates_email_id_email_changed_preheader_txt[] = {
#embed "../../Templates/email/id/email-changed.preheader.txt"
};

// sha256 13e7866c9e344e5f4c54c0e873fcb3eac1fb9106ab925b7220a60ce5a6f22c4d
static const unsigned char Templates_email_id_email_changed_subject_txt[] = {
#embed "../../Templates/email/id/email-changed.subject.txt"
};

// sha256 95a62a72e33fe0567b5491f591eb0f95cff06d1ef6279c3c4d4529809f61e106
static const unsigned char Templates_email_id_email_changed_txt[] = {
#embed "../../Templates/email/id/email-changed.txt"
};

// sha256 d89522698f46c9d3d8205af8465d82a2292e66cbb9f57ce22cd207347be78b45
static const unsigned char Templates_email_id_email_in_use_html[] = {
#embed "../../Templates/email/id/email-in-use.html"
};

// sha256 6d0cf0097e5f475e2fca512d098b50e0f4224c4de8415f75413326ae6e506725
static const unsigned char Templates_email_id_email_in_use_preheader_txt[] = {
#embed "../../Templates/email/id/email-in-use.preheader.txt"
};

// sha256 24f5632fd2a4cc4ce8a85ea64018b4876ce5db0c9dbd020f29d4f132c7f069e7
static const unsigned char Templates_email_id_email_in_use_subject_txt[] = {
#embed "../../Templates/email/id/email-in-use.subject.txt"
};

// sha256 8b2ca776aad1be328a1cc13763f9181cd0aec597277a6ab7bc1b704bad4eb0cb
static const unsigned char Templates_email_id_email_in_use_txt[] = {
#embed "../../Templates/email/id/email-in-use.txt"
};

// sha256 7ab0ed1465b1ec6ba4d9dea23198d3b14d27e3e13e8ae442be2c5f70a904098b
static const unsigned char Templates_email_id_sign_in_html[] = {
#embed "../../Templates/email/id/sign-in.html"
};

// sha256 7032390d7e0f5b61f5fb0770b49df71403eb4afab79659920633c912f5c2b88b
static const unsigned char Templates_email_id_sign_in_preheader_txt[] = {
#embed "../../Templates/email/id/sign-in.preheader.txt"
};

// sha256 d908497d75d0e5a7017f82a63568dc1380e4abb4216f209a904c9728764e36e7
static const unsigned char Templates_email_id_sign_in_subject_txt[] = {
#embed "../../Templates/email/id/sign-in.subject.txt"
};

// sha256 5f97d64c693bf2b429f8cc2d332065235adbe4c151ea2c90ec623f932fe70e35
static const unsigned char Templates_email_id_sign_in_txt[] = {
#embed "../../Templates/email/id/sign-in.txt"
};

// sha256 666849d0b9e23f02035249ff3c8f823958d3e644fbaf1f63de122879bb2b9bdc
static const unsigned char Templates_email_id_unknown_device_txt[] = {
#embed "../../Templates/email/id/unknown-device.txt"
};

// sha256 df5c630bb2f8e238cb35f7876887a2a56409bf0c847b9345468fc610a8f0f4f9
static const unsigned char Templates_email_id_verify_email_html[] = {
#embed "../../Templates/email/id/verify-email.html"
};

// sha256 9d67d20965d54a56a99c0406c9ece1977a1df06fea4869b915f104ff1ff5c634
static const unsigned char Templates_email_id_verify_email_preheader_txt[] = {
#embed "../../Templates/email/id/verify-email.preheader.txt"
};

// sha256 ffb2be35fdf3748dcad3e32b785de9c8a41fc335f7818421b4969d15b05d755c
static const unsigned char Templates_email_id_verify_email_subject_txt[] = {
#embed "../../Templates/email/id/verify-email.subject.txt"
};

// sha256 6b954b37c747f9e2f84be0d81a7427ca618212360225451735576ede0c6faf3e
static const unsigned char Templates_email_id_verify_email_txt[] = {
#embed "../../Templates/email/id/verify-email.txt"
};

// sha256 e814f52b2ae31b44876821479e9114fca9ad45d4e5453a1e8afb2e7a1c208f44
static const unsigned char Templates_email_it_change_email_html[] = {
#embed "../../Templates/email/it/change-email.html"
};

// sha256 13c225e2df68c239ddcbdc649231e6f85de2246e97ecc263a12e53f2e125dd52
static const unsigned char Templates_email_it_change_email_preheader_txt[] = {
#embed "../../Templates/email/it/change-email.preheader.txt"
};

// sha256 bfadf459c3f9e6b213a1e6024b7362dee890b9d1b44aac99459b4ebd07e68223
static const unsigned char Templates_email_it_change_email_subject_txt[] = {
#embed "../../Templates/email/it/change-email.subject.txt"
};

// sha256 729c2d654292136c6984381c6a305b6294e0a390c1a246ea4852bc42e3ff51c9
static const unsigned char Templates_email_it_change_email_txt[] = {
#embed "../../Templates/email/it/change-email.txt"
};

// sha256 ebeda00ad7c1d0d93f0b3d4f631f40339988832e0cc23b7ca65c102c10dd1e24
static const unsigned char Templates_email_it_email_changed_html[] = {
#embed "../../Templates/email/it/email-changed.html"
};

// sha256 dc8bf02218c2509f9369abcc8696f819f7a1d2619c258711819cd70fac0b57c9
static const unsigned char Templates_email_it_email_changed_preheader_txt[] = {
#embed "../../Templates/email/it/email-changed.preheader.txt"
};

// sha256 d8605e03efc717c521b060521d88dbe32d93341e1de1d9f7148ffd5628700fd0
static const unsigned char Templates_email_it_email_changed_subject_txt[] = {
#embed "../../Templates/email/it/email-changed.subject.txt"
};

// sha256 8dae158920e1f51383d7613dd01e68a7b4ea36ab276521b1e018d93d0bd5758f
static const unsigned char Templates_email_it_email_changed_txt[] = {
#embed "../../Templates/email/it/email-changed.txt"
};

// sha256 04febef6846301f78c6d9b3f0681108d7a98774fc15e88f0c01ec03cc29cd66d
static const unsigned char Templates_email_it_email_in_use_html[] = {
#embed "../../Templates/email/it/email-in-use.html"
};

// sha256 b18fb46362209495b44e43b41fe4b3159fcda18d9c4e3efc6d24a9621bf92df7
static const unsigned char Templates_email_it_email_in_use_preheader_txt[] = {
#embed "../../Templates/email/it/email-in-use.preheader.txt"
};

// sha256 d53e5670f22d51fd268bc6bba818371d342c2185f58d28748c4c88ef4ec8baa4
static const unsigned char Templates_email_it_email_in_use_subject_txt[] = {
#embed "../../Templates/email/it/email-in-use.subject.txt"
};

// sha256 055654b63b72d048fc59748a023bb2c35a18623f6fa8359950cda4b13f4909f1
static const unsigned char Templates_email_it_email_in_use_txt[] = {
#embed "../../Templates/email/it/email-in-use.txt"
};

// sha256 64ec2c1eeb7711d3d3e51dd113262b4e98977805d5ebd658c725566ee4640ccd
static const unsigned char Templates_email_it_sign_in_html[] = {
#embed "../../Templates/email/it/sign-in.html"
};

// sha256 d6a0b3bbbb046f0ef7bd7b7f92f94c4908b4ed8b8c4f266b218d144638cb00bf
static const unsigned char Templates_email_it_sign_in_preheader_txt[] = {
#embed "../../Templates/email/it/sign-in.preheader.txt"
};

// sha256 3a2a4eda70777569f34f8af0c02c7c6916d10c89bed45cf02147e725b4a80545
static const unsigned char Templates_email_it_sign_in_subject_txt[] = {
#embed "../../Templates/email/it/sign-in.subject.txt"
};

// sha256 ccc782287524cce7ebf698ef51d9bad03b246592c5d07c2eb366798616f0c5b6
static const unsigned char Templates_email_it_sign_in_txt[] = {
#embed "../../Templates/email/it/sign-in.txt"
};

// sha256 ab33fbaccb2b4a3596ead3920e37ebb62fc48ea17b78417e1bc3fefe37ee1622
static const unsigned char Templates_email_it_unknown_device_txt[] = {
#embed "../../Templates/email/it/unknown-device.txt"
};

// sha256 9666693976c1a58633af8d68fa46137980ec6195e71a334ca5b37d551beae5bc
static const unsigned char Templates_email_it_verify_email_html[] = {
#embed "../../Templates/email/it/verify-email.html"
};

// sha256 06cc54f18adcaab616c30337b6d5a5dd98e52de59e724fc17fed1404032bcb90
static const unsigned char Templates_email_it_verify_email_preheader_txt[] = {
#embed "../../Templates/email/it/verify-email.preheader.txt"
};

// sha256 f6079a33f112383233a55da9563cc6b555a5982ad2446ae17a2691311a655aed
static const unsigned char Templates_email_it_verify_email_subject_txt[] = {
#embed "../../Templates/email/it/verify-email.subject.txt"
};

// sha256 d6c28676f8d53e5e9829c03140449ce85b3219370d329a672cc55c06a6608e26
static const unsigned char Templates_email_it_verify_email_txt[] = {
#embed "../../Templates/email/it/verify-email.txt"
};

// sha256 af1ea6090e24bb9b96d5d2863228cc9c6575f951cd710aef6181d1f8fad93897
static const unsigned char Templates_email_ja_change_email_html[] = {
#embed "../../Templates/email/ja/change-email.html"
};

// sha256 406916c8893051f5d3ee78ec2ffdc9f1890dcd435043ca5d416eb5e3108c296b
static const unsigned char Templates_email_ja_change_email_preheader_txt[] = {
#embed "../../Templates/email/ja/change-email.preheader.txt"
};

// sha256 1cb09f25f452bef9057fb6b35440d5d39cbea81709fc6e2b47f97ea1c40b7ad9
static const unsigned char Templates_email_ja_change_email_subject_txt[] = {
#embed "../../Templates/email/ja/change-email.subject.txt"
};

// sha256 fcb4184960da8114ad03c9e4cf89bea5f1c830a0457c0eedea6d2f2fdd558f00
static const unsigned char Templates_email_ja_change_email_txt[] = {
#embed "../../Templates/email/ja/change-email.txt"
};

// sha256 7bbc3715921652505c66bd969c6fc1b0ef3ba8d4edfdb364a664cd114542c148
static const unsigned char Templates_email_ja_email_changed_html[] = {
#embed "../../Templates/email/ja/email-changed.html"
};

// sha256 b214f1be34f3a4fa44967bc5d980c866087824ce34b86ab488317b0cf4cbb1cb
static const unsigned char Templates_email_ja_email_changed_preheader_txt[] = {
#embed "../../Templates/email/ja/email-changed.preheader.txt"
};

// sha256 57e65e5ecbc68aef1d33a6e170b5439a1060cbcd244c604668a4c078d72f4a6c
static const unsigned char Templates_email_ja_email_changed_subject_txt[] = {
#embed "../../Templates/email/ja/email-changed.subject.txt"
};

// sha256 b8b3a2b4720145ecc4dcdcad64823bd2496a2f3edbe76c09e4af3f1c05c872d1
static const unsigned char Templates_email_ja_email_changed_txt[] = {
#embed "../../Templates/email/ja/email-changed.txt"
};

// sha256 685adc9034ca1f96b99e319d1a7d2c6f41f44e3dffb448815ca3f7ae257e9bbc
static const unsigned char Templates_email_ja_email_in_use_html[] = {
#embed "../../Templates/email/ja/email-in-use.html"
};

// sha256 357833916894574e55e6702fdc22f459c479877d0c9aa165966afb35152eb7d4
static const unsigned char Templates_email_ja_email_in_use_preheader_txt[] = {
#embed "../../Templates/email/ja/email-in-use.preheader.txt"
};

// sha256 b48ca4f60adb1bee3caa71eaa53cdd2b1e27e07f4639607667f4b80856eed37b
static const unsigned char Templates_email_ja_email_in_use_subject_txt[] = {
#embed "../../Templates/email/ja/email-in-use.subject.txt"
};

// sha256 6f6fceea3c760f51bed869a3d2aa0d3649aed70eaa0e7dbd9186603df0068bdc
static const unsigned char Templates_email_ja_email_in_use_txt[] = {
#embed "../../Templates/email/ja/email-in-use.txt"
};

// sha256 eb066b77d502a52a28f8a67a439c6a7f89e1d9cec4d3b2acb63c995a00e68fba
static const unsigned char Templates_email_ja_sign_in_html[] = {
#embed "../../Templates/email/ja/sign-in.html"
};

// sha256 4014d7f922aae91b073c14d2745f522ee3e1e2ff1e5ab27fad629c7689d4a028
static const unsigned char Templates_email_ja_sign_in_preheader_txt[] = {
#embed "../../Templates/email/ja/sign-in.preheader.txt"
};

// sha256 eb767214078968506fd6d1dadfccf9092a817f92a303f6d337f873d9cc9b80bc
static const unsigned char Templates_email_ja_sign_in_subject_txt[] = {
#embed "../../Templates/email/ja/sign-in.subject.txt"
};

// sha256 2df27bad66d048996c8bc821b289b0e05b33a835c4d2db3cc7ec31a7c2f9b3f6
static const unsigned char Templates_email_ja_sign_in_txt[] = {
#embed "../../Templates/email/ja/sign-in.txt"
};

// sha256 8c9e1b42b835dfdd84f142bb4ba1eb1b4eba043fcedf3f3da19de3915b19b839
static const unsigned char Templates_email_ja_unknown_device_txt[] = {
#embed "../../Templates/email/ja/unknown-device.txt"
};

// sha256 94892ba8b7ba26246d832dd28a51b761faf6aa01c1e43e6cc1d9f72f5f7c55cc
static const unsigned char Templates_email_ja_verify_email_html[] = {
#embed "../../Templates/email/ja/verify-email.html"
};

// sha256 51904df97d9d81a2342b2e988293be0e5ce57bd2a0e036cd9bee645e6afe0cec
static const unsigned char Templates_email_ja_verify_email_preheader_txt[] = {
#embed "../../Templates/email/ja/verify-email.preheader.txt"
};

// sha256 c959392c4789da78147014a171bfd02e4eeffa4624e9399887b5f38823bc5270
static const unsigned char Templates_email_ja_verify_email_subject_txt[] = {
#embed "../../Templates/email/ja/verify-email.subject.txt"
};

// sha256 bbfdf65fd933d48add91dbd9a1bc8c10960105782c80fabeef71e2968e3c5b27
static const unsigned char Templates_email_ja_verify_email_txt[] = {
#embed "../../Templates/email/ja/verify-email.txt"
};

// sha256 f7915154cccce7876c07cccd84bd56cfd6c8a691068ed6ce3f1d11d01436c7e8
static const unsigned char Templates_email_layout_html[] = {
#embed "../../Templates/email/layout.html"
};

// sha256 af938ff4ec4fdb70301a2993ff417a3d453be2cda4c2993730ac35dad36812ff
static const unsigned char Templates_email_pt_BR_change_email_html[] = {
#embed "../../Templates/email/pt-BR/change-email.html"
};

// sha256 c2fc9fe4ff47ecd93ca37b36928d98d447b8cf3a896c9694943edf238f6b42be
static const unsigned char Templates_email_pt_BR_change_email_preheader_txt[] = {
#embed "../../Templates/email/pt-BR/change-email.preheader.txt"
};

// sha256 686f3b812e82d0a787ee392b7bc6c861330db863990ef566f49ca9407a31aad5
static const unsigned char Templates_email_pt_BR_change_email_subject_txt[] = {
#embed "../../Templates/email/pt-BR/change-email.subject.txt"
};

// sha256 8037a8744265ca97d79127cecb0f92dd9cffc1d3e4a0d613bf700baf5cec551b
static const unsigned char Templates_email_pt_BR_change_email_txt[] = {
#embed "../../Templates/email/pt-BR/change-email.txt"
};

// sha256 cfe0b4a3162c77e62eef89181ef543de1e928cf3d9ac3f5b6d5c28e9b176a0cc
static const unsigned char Templates_email_pt_BR_email_changed_html[] = {
#embed "../../Templates/email/pt-BR/email-changed.html"
};

// sha256 9ba40da379d34749b73bb83d69f50b1ca194f56b26fb6d2c5219101fbe1a0185
static const unsigned char Templates_email_pt_BR_email_changed_preheader_txt[] = {
#embed "../../Templates/email/pt-BR/email-changed.preheader.txt"
};

// sha256 8ab01d354bfad862280b0446af374d95d48eea1a63d169aca4f9e06c2115d3ad
static const unsigned char Templates_email_pt_BR_email_changed_subject_txt[] = {
#embed "../../Templates/email/pt-BR/email-changed.subject.txt"
};

// sha256 bce61544750d162fbff90991eeb7259662c3e11246b3e17959d30f44f3b5f3a3
static const unsigned char Templates_email_pt_BR_email_changed_txt[] = {
#embed "../../Templates/email/pt-BR/email-changed.txt"
};

// sha256 5fe2a9f6956e3382bbc4aff1442b00e185067cba0e444aada7a3e3a2b2521f88
static const unsigned char Templates_email_pt_BR_email_in_use_html[] = {
#embed "../../Templates/email/pt-BR/email-in-use.html"
};

// sha256 5bb71c9e29b9b2b5c41e75cfebfb7e2aac740b9fa888fd4c73d0f9f1931263aa
static const unsigned char Templates_email_pt_BR_email_in_use_preheader_txt[] = {
#embed "../../Templates/email/pt-BR/email-in-use.preheader.txt"
};

// sha256 d3543edf200ff5e1ff3efd2017e345915f2000b4e97dc38548071cbd031dc079
static const unsigned char Templates_email_pt_BR_email_in_use_subject_txt[] = {
#embed "../../Templates/email/pt-BR/email-in-use.subject.txt"
};

// sha256 1761bf1e1576695ae8910175b038e17230a745626db47d8b92edea3ac65b13ce
static const unsigned char Templates_email_pt_BR_email_in_use_txt[] = {
#embed "../../Templates/email/pt-BR/email-in-use.txt"
};

// sha256 05d4ea7a23c5f83189a883719f4c35ea058ccfe52544415eed399ccd0fe0763c
static const unsigned char Templates_email_pt_BR_sign_in_html[] = {
#embed "../../Templates/email/pt-BR/sign-in.html"
};

// sha256 3dd6c03fdd01d09f52ce4d7a355cd9d3c5f3f3ef0e35ec1fd2b8114596e66778
static const unsigned char Templates_email_pt_BR_sign_in_preheader_txt[] = {
#embed "../../Templates/email/pt-BR/sign-in.preheader.txt"
};

// sha256 36fe6e2b88e943d1c7b0042c8fd8877bb1d57dbd023762cfb8a0f21288aefafa
static const unsigned char Templates_email_pt_BR_sign_in_subject_txt[] = {
#embed "../../Templates/email/pt-BR/sign-in.subject.txt"
};

// sha256 ef54f85da80c73ac5f0ac25648011218ed5a1c69f4aafd84db3660953437836f
static const unsigned char Templates_email_pt_BR_sign_in_txt[] = {
#embed "../../Templates/email/pt-BR/sign-in.txt"
};

// sha256 ec1a48a8fb27fb57e99f07c4a7d03e8c4cfde77d876feb717ff2ff711b278c89
static const unsigned char Templates_email_pt_BR_unknown_device_txt[] = {
#embed "../../Templates/email/pt-BR/unknown-device.txt"
};

// sha256 a74175cf3c893eeb744c61832c8bc82f1b097cf40606d6573c8ccc4144559d0a
static const unsigned char Templates_email_pt_BR_verify_email_html[] = {
#embed "../../Templates/email/pt-BR/verify-email.html"
};

// sha256 20e844e457d1d91fba90fb27850df5992a746124363bfa961aa81308f110a397
static const unsigned char Templates_email_pt_BR_verify_email_preheader_txt[] = {
#embed "../../Templates/email/pt-BR/verify-email.preheader.txt"
};

// sha256 e8f7b9164b2ff0fba8e3ff167e415c16d5a0dbfff6b6a2058f89cc603ee4cf33
static const unsigned char Templates_email_pt_BR_verify_email_subject_txt[] = {
#embed "../../Templates/email/pt-BR/verify-email.subject.txt"
};

// sha256 52ce0c639827e4fe92db58b89d2c879646d298fdbb98cde7ebc703b07b8bac7e
static const unsigned char Templates_email_pt_BR_verify_email_txt[] = {
#embed "../../Templates/email/pt-BR/verify-email.txt"
};

// sha256 471a3e6ffa6ba8d329ba369277bab2005772524b93583f1cc3f42d9082ab597e
static const unsigned char Templates_pages_style_css[] = {
#embed "../../Templates/pages/style.css"
};

static const latchkey_resource resources[] = {
    {"Templates/email/de/change-email.html", Templates_email_de_change_email_html, sizeof Templates_email_de_change_email_html},
    {"Templates/email/de/change-email.preheader.txt", Templates_email_de_change_email_preheader_txt, sizeof Templates_email_de_change_email_preheader_txt},
    {"Templates/email/de/change-email.subject.txt", Templates_email_de_change_email_subject_txt, sizeof Templates_email_de_change_email_subject_txt},
    {"Templates/email/de/change-email.txt", Templates_email_de_change_email_txt, sizeof Templates_email_de_change_email_txt},
    {"Templates/email/de/email-changed.html", Templates_email_de_email_changed_html, sizeof Templates_email_de_email_changed_html},
    {"Templates/email/de/email-changed.preheader.txt", Templates_email_de_email_changed_preheader_txt, sizeof Templates_email_de_email_changed_preheader_txt},
    {"Templates/email/de/email-changed.subject.txt", Templates_email_de_email_changed_subject_txt, sizeof Templates_email_de_email_changed_subject_txt},
    {"Templates/email/de/email-changed.txt", Templates_email_de_email_changed_txt, sizeof Templates_email_de_email_changed_txt},
    {"Templates/email/de/email-in-use.html", Templates_email_de_email_in_use_html, sizeof Templates_email_de_email_in_use_html},
    {"Templates/email/de/email-in-use.preheader.txt", Templates_email_de_email_in_use_preheader_txt, sizeof Templates_email_de_email_in_use_preheader_txt},
    {"Templates/email/de/email-in-use.subject.txt", Templates_email_de_email_in_use_subject_txt, sizeof Templates_email_de_email_in_use_subject_txt},
    {"Templates/email/de/email-in-use.txt", Templates_email_de_email_in_use_txt, sizeof Templates_email_de_email_in_use_txt},
    {"Templates/email/de/sign-in.html", Templates_email_de_sign_in_html, sizeof Templates_email_de_sign_in_html},
    {"Templates/email/de/sign-in.preheader.txt", Templates_email_de_sign_in_preheader_txt, sizeof Templates_email_de_sign_in_preheader_txt},
    {"Templates/email/de/sign-in.subject.txt", Templates_email_de_sign_in_subject_txt, sizeof Templates_email_de_sign_in_subject_txt},
    {"Templates/email/de/sign-in.txt", Templates_email_de_sign_in_txt, sizeof Templates_email_de_sign_in_txt},
    {"Templates/email/de/unknown-device.txt", Templates_email_de_unknown_device_txt, sizeof Templates_email_de_unknown_device_txt},
    {"Templates/email/de/verify-email.html", Templates_email_de_verify_email_html, sizeof Templates_email_de_verify_email_html},
    {"Templates/email/de/verify-email.preheader.txt", Templates_email_de_verify_email_preheader_txt, sizeof Templates_email_de_verify_email_preheader_txt},
    {"Templates/email/de/verify-email.subject.txt", Templates_email_de_verify_email_subject_txt, sizeof Templates_email_de_verify_email_subject_txt},
    {"Templates/email/de/verify-email.txt", Templates_email_de_verify_email_txt, sizeof Templates_email_de_verify_email_txt},
    {"Templates/email/en/change-email.html", Templates_email_en_change_email_html, sizeof Templates_email_en_change_email_html},
    {"Templates/email/en/change-email.preheader.txt", Templates_email_en_change_email_preheader_txt, sizeof Templates_email_en_change_email_preheader_txt},
    {"Templates/email/en/change-email.subject.txt", Templates_email_en_change_email_subject_txt, sizeof Templates_email_en_change_email_subject_txt},
    {"Templates/email/en/change-email.txt", Templates_email_en_change_email_txt, sizeof Templates_email_en_change_email_txt},
    {"Templates/email/en/email-changed.html", Templates_email_en_email_changed_html, sizeof Templates_email_en_email_changed_html},
    {"Templates/email/en/email-changed.preheader.txt", Templates_email_en_email_changed_preheader_txt, sizeof Templates_email_en_email_changed_preheader_txt},
    {"Templates/email/en/email-changed.subject.txt", Templates_email_en_email_changed_subject_txt, sizeof Templates_email_en_email_changed_subject_txt},
    {"Templates/email/en/email-changed.txt", Templates_email_en_email_changed_txt, sizeof Templates_email_en_email_changed_txt},
    {"Templates/email/en/email-in-use.html", Templates_email_en_email_in_use_html, sizeof Templates_email_en_email_in_use_html},
    {"Templates/email/en/email-in-use.preheader.txt", Templates_email_en_email_in_use_preheader_txt, sizeof Templates_email_en_email_in_use_preheader_txt},
    {"Templates/email/en/email-in-use.subject.txt", Templates_email_en_email_in_use_subject_txt, sizeof Templates_email_en_email_in_use_subject_txt},
    {"Templates/email/en/email-in-use.txt", Templates_email_en_email_in_use_txt, sizeof Templates_email_en_email_in_use_txt},
    {"Templates/email/en/sign-in.html", Templates_email_en_sign_in_html, sizeof Templates_email_en_sign_in_html},
    {"Templates/email/en/sign-in.preheader.txt", Templates_email_en_sign_in_preheader_txt, sizeof Templates_email_en_sign_in_preheader_txt},
    {"Templates/email/en/sign-in.subject.txt", Templates_email_en_sign_in_subject_txt, sizeof Templates_email_en_sign_in_subject_txt},
    {"Templates/email/en/sign-in.txt", Templates_email_en_sign_in_txt, sizeof Templates_email_en_sign_in_txt},
    {"Templates/email/en/unknown-device.txt", Templates_email_en_unknown_device_txt, sizeof Templates_email_en_unknown_device_txt},
    {"Templates/email/en/verify-email.html", Templates_email_en_verify_email_html, sizeof Templates_email_en_verify_email_html},
    {"Templates/email/en/verify-email.preheader.txt", Templates_email_en_verify_email_preheader_txt, sizeof Templates_email_en_verify_email_preheader_txt},
    {"Templates/email/en/verify-email.subject.txt", Templates_email_en_verify_email_subject_txt, sizeof Templates_email_en_verify_email_subject_txt},
    {"Templates/email/en/verify-email.txt", Templates_email_en_verify_email_txt, sizeof Templates_email_en_verify_email_txt},
    {"Templates/email/es/change-email.html", Templates_email_es_change_email_html, sizeof Templates_email_es_change_email_html},
    {"Templates/email/es/change-email.preheader.txt", Templates_email_es_change_email_preheader_txt, sizeof Templates_email_es_change_email_preheader_txt},
    {"Templates/email/es/change-email.subject.txt", Templates_email_es_change_email_subject_txt, sizeof Templates_email_es_change_email_subject_txt},
    {"Templates/email/es/change-email.txt", Templates_email_es_change_email_txt, sizeof Templates_email_es_change_email_txt},
    {"Templates/email/es/email-changed.html", Templates_email_es_email_changed_html, sizeof Templates_email_es_email_changed_html},
    {"Templates/email/es/email-changed.preheader.txt", Templates_email_es_email_changed_preheader_txt, sizeof Templates_email_es_email_changed_preheader_txt},
    {"Templates/email/es/email-changed.subject.txt", Templates_email_es_email_changed_subject_txt, sizeof Templates_email_es_email_changed_subject_txt},
    {"Templates/email/es/email-changed.txt", Templates_email_es_email_changed_txt, sizeof Templates_email_es_email_changed_txt},
    {"Templates/email/es/email-in-use.html", Templates_email_es_email_in_use_html, sizeof Templates_email_es_email_in_use_html},
    {"Templates/email/es/email-in-use.preheader.txt", Templates_email_es_email_in_use_preheader_txt, sizeof Templates_email_es_email_in_use_preheader_txt},
    {"Templates/email/es/email-in-use.subject.txt", Templates_email_es_email_in_use_subject_txt, sizeof Templates_email_es_email_in_use_subject_txt},
    {"Templates/email/es/email-in-use.txt", Templates_email_es_email_in_use_txt, sizeof Templates_email_es_email_in_use_txt},
    {"Templates/email/es/sign-in.html", Templates_email_es_sign_in_html, sizeof Templates_email_es_sign_in_html},
    {"Templates/email/es/sign-in.preheader.txt", Templates_email_es_sign_in_preheader_txt, sizeof Templates_email_es_sign_in_preheader_txt},
    {"Templates/email/es/sign-in.subject.txt", Templates_email_es_sign_in_subject_txt, sizeof Templates_email_es_sign_in_subject_txt},
    {"Templates/email/es/sign-in.txt", Templates_email_es_sign_in_txt, sizeof Templates_email_es_sign_in_txt},
    {"Templates/email/es/unknown-device.txt", Templates_email_es_unknown_device_txt, sizeof Templates_email_es_unknown_device_txt},
    {"Templates/email/es/verify-email.html", Templates_email_es_verify_email_html, sizeof Templates_email_es_verify_email_html},
    {"Templates/email/es/verify-email.preheader.txt", Templates_email_es_verify_email_preheader_txt, sizeof Templates_email_es_verify_email_preheader_txt},
    {"Templates/email/es/verify-email.subject.txt", Templates_email_es_verify_email_subject_txt, sizeof Templates_email_es_verify_email_subject_txt},
    {"Templates/email/es/verify-email.txt", Templates_email_es_verify_email_txt, sizeof Templates_email_es_verify_email_txt},
    {"Templates/email/fr/change-email.html", Templates_email_fr_change_email_html, sizeof Templates_email_fr_change_email_html},
    {"Templates/email/fr/change-email.preheader.txt", Templates_email_fr_change_email_preheader_txt, sizeof Templates_email_fr_change_email_preheader_txt},
    {"Templates/email/fr/change-email.subject.txt", Templates_email_fr_change_email_subject_txt, sizeof Templates_email_fr_change_email_subject_txt},
    {"Templates/email/fr/change-email.txt", Templates_email_fr_change_email_txt, sizeof Templates_email_fr_change_email_txt},
    {"Templates/email/fr/email-changed.html", Templates_email_fr_email_changed_html, sizeof Templates_email_fr_email_changed_html},
    {"Templates/email/fr/email-changed.preheader.txt", Templates_email_fr_email_changed_preheader_txt, sizeof Templates_email_fr_email_changed_preheader_txt},
    {"Templates/email/fr/email-changed.subject.txt", Templates_email_fr_email_changed_subject_txt, sizeof Templates_email_fr_email_changed_subject_txt},
    {"Templates/email/fr/email-changed.txt", Templates_email_fr_email_changed_txt, sizeof Templates_email_fr_email_changed_txt},
    {"Templates/email/fr/email-in-use.html", Templates_email_fr_email_in_use_html, sizeof Templates_email_fr_email_in_use_html},
    {"Templates/email/fr/email-in-use.preheader.txt", Templates_email_fr_email_in_use_preheader_txt, sizeof Templates_email_fr_email_in_use_preheader_txt},
    {"Templates/email/fr/email-in-use.subject.txt", Templates_email_fr_email_in_use_subject_txt, sizeof Templates_email_fr_email_in_use_subject_txt},
    {"Templates/email/fr/email-in-use.txt", Templates_email_fr_email_in_use_txt, sizeof Templates_email_fr_email_in_use_txt},
    {"Templates/email/fr/sign-in.html", Templates_email_fr_sign_in_html, sizeof Templates_email_fr_sign_in_html},
    {"Templates/email/fr/sign-in.preheader.txt", Templates_email_fr_sign_in_preheader_txt, sizeof Templates_email_fr_sign_in_preheader_txt},
    {"Templates/email/fr/sign-in.subject.txt", Templates_email_fr_sign_in_subject_txt, sizeof Templates_email_fr_sign_in_subject_txt},
    {"Templates/email/fr/sign-in.txt", Templates_email_fr_sign_in_txt, sizeof Templates_email_fr_sign_in_txt},
    {"Templates/email/fr/unknown-device.txt", Templates_email_fr_unknown_device_txt, sizeof Templates_email_fr_unknown_device_txt},
    {"Templates/email/fr/verify-email.html", Templates_email_fr_verify_email_html, sizeof Templates_email_fr_verify_email_html},
    {"Templates/email/fr/verify-email.preheader.txt", Templates_email_fr_verify_email_preheader_txt, sizeof Templates_email_fr_verify_email_preheader_txt},
    {"Templates/email/fr/verify-email.subject.txt", Templates_email_fr_verify_email_subject_txt, sizeof Templates_email_fr_verify_email_subject_txt},
    {"Templates/email/fr/verify-email.txt", Templates_email_fr_verify_email_txt, sizeof Templates_email_fr_verify_email_txt},
    {"Templates/email/id/change-email.html", Templates_email_id_change_email_html, sizeof Templates_email_id_change_email_html},
    {"Templates/email/id/change-email.preheader.txt", Templates_email_id_change_email_preheader_txt, sizeof Templates_email_id_change_email_preheader_txt},
    {"Templates/email/id/change-email.subject.txt", Templates_email_id_change_email_subject_txt, sizeof Templates_email_id_change_email_subject_txt},
    {"Templates/email/id/change-email.txt", Templates_email_id_change_email_txt, sizeof Templates_email_id_change_email_txt},
    {"Templates/email/id/email-changed.html", Templates_email_id_email_changed_html, sizeof Templates_email_id_email_changed_html},
    {"Templates/email/id/email-changed.preheader.txt", Templates_email_id_email_changed_preheader_txt, sizeof Templates_email_id_email_changed_preheader_txt},
    {"Templates/email/id/email-changed.subject.txt", Templates_email_id_email_changed_subject_txt, sizeof Templates_email_id_email_changed_subject_txt},
    {"Templates/email/id/email-changed.txt", Templates_email_id_email_changed_txt, sizeof Templates_email_id_email_changed_txt},
    {"Templates/email/id/email-in-use.html", Templates_email_id_email_in_use_html, sizeof Templates_email_id_email_in_use_html},
    {"Templates/email/id/email-in-use.preheader.txt", Templates_email_id_email_in_use_preheader_txt, sizeof Templates_email_id_email_in_use_preheader_txt},
    {"Templates/email/id/email-in-use.subject.txt", Templates_email_id_email_in_use_subject_txt, sizeof Templates_email_id_email_in_use_subject_txt},
    {"Templates/email/id/email-in-use.txt", Templates_email_id_email_in_use_txt, sizeof Templates_email_id_email_in_use_txt},
    {"Templates/email/id/sign-in.html", Templates_email_id_sign_in_html, sizeof Templates_email_id_sign_in_html},
    {"Templates/email/id/sign-in.preheader.txt", Templates_email_id_sign_in_preheader_txt, sizeof Templates_email_id_sign_in_preheader_txt},
    {"Templates/email/id/sign-in.subject.txt", Templates_email_id_sign_in_subject_txt, sizeof Templates_email_id_sign_in_subject_txt},
    {"Templates/email/id/sign-in.txt", Templates_email_id_sign_in_txt, sizeof Templates_email_id_sign_in_txt},
    {"Templates/email/id/unknown-device.txt", Templates_email_id_unknown_device_txt, sizeof Templates_email_id_unknown_device_txt},
    {"Templates/email/id/verify-email.html", Templates_email_id_verify_email_html, sizeof Templates_email_id_verify_email_html},
    {"Templates/email/id/verify-email.preheader.txt", Templates_email_id_verify_email_preheader_txt, sizeof Templates_email_id_verify_email_preheader_txt},
    {"Templates/email/id/verify-email.subject.txt", Templates_email_id_verify_email_subject_txt, sizeof Templates_email_id_verify_email_subject_txt},
    {"Templates/email/id/verify-email.txt", Templates_email_id_verify_email_txt, sizeof Templates_email_id_verify_email_txt},
    {"Templates/email/it/change-email.html", Templates_email_it_change_email_html, sizeof Templates_email_it_change_email_html},
    {"Templates/email/it/change-email.preheader.txt", Templates_email_it_change_email_preheader_txt, sizeof Templates_email_it_change_email_preheader_txt},
    {"Templates/email/it/change-email.subject.txt", Templates_email_it_change_email_subject_txt, sizeof Templates_email_it_change_email_subject_txt},
    {"Templates/email/it/change-email.txt", Templates_email_it_change_email_txt, sizeof Templates_email_it_change_email_txt},
    {"Templates/email/it/email-changed.html", Templates_email_it_email_changed_html, sizeof Templates_email_it_email_changed_html},
    {"Templates/email/it/email-changed.preheader.txt", Templates_email_it_email_changed_preheader_txt, sizeof Templates_email_it_email_changed_preheader_txt},
    {"Templates/email/it/email-changed.subject.txt", Templates_email_it_email_changed_subject_txt, sizeof Templates_email_it_email_changed_subject_txt},
    {"Templates/email/it/email-changed.txt", Templates_email_it_email_changed_txt, sizeof Templates_email_it_email_changed_txt},
    {"Templates/email/it/email-in-use.html", Templates_email_it_email_in_use_html, sizeof Templates_email_it_email_in_use_html},
    {"Templates/email/it/email-in-use.preheader.txt", Templates_email_it_email_in_use_preheader_txt, sizeof Templates_email_it_email_in_use_preheader_txt},
    {"Templates/email/it/email-in-use.subject.txt", Templates_email_it_email_in_use_subject_txt, sizeof Templates_email_it_email_in_use_subject_txt},
    {"Templates/email/it/email-in-use.txt", Templates_email_it_email_in_use_txt, sizeof Templates_email_it_email_in_use_txt},
    {"Templates/email/it/sign-in.html", Templates_email_it_sign_in_html, sizeof Templates_email_it_sign_in_html},
    {"Templates/email/it/sign-in.preheader.txt", Templates_email_it_sign_in_preheader_txt, sizeof Templates_email_it_sign_in_preheader_txt},
    {"Templates/email/it/sign-in.subject.txt", Templates_email_it_sign_in_subject_txt, sizeof Templates_email_it_sign_in_subject_txt},
    {"Templates/email/it/sign-in.txt", Templates_email_it_sign_in_txt, sizeof Templates_email_it_sign_in_txt},
    {"Templates/email/it/unknown-device.txt", Templates_email_it_unknown_device_txt, sizeof Templates_email_it_unknown_device_txt},
    {"Templates/email/it/verify-email.html", Templates_email_it_verify_email_html, sizeof Templates_email_it_verify_email_html},
    {"Templates/email/it/verify-email.preheader.txt", Templates_email_it_verify_email_preheader_txt, sizeof Templates_email_it_verify_email_preheader_txt},
    {"Templates/email/it/verify-email.subject.txt", Templates_email_it_verify_email_subject_txt, sizeof Templates_email_it_verify_email_subject_txt},
    {"Templates/email/it/verify-email.txt", Templates_email_it_verify_email_txt, sizeof Templates_email_it_verify_email_txt},
    {"Templates/email/ja/change-email.html", Templates_email_ja_change_email_html, sizeof Templates_email_ja_change_email_html},
    {"Templates/email/ja/change-email.preheader.txt", Templates_email_ja_change_email_preheader_txt, sizeof Templates_email_ja_change_email_preheader_txt},
    {"Templates/email/ja/change-email.subject.txt", Templates_email_ja_change_email_subject_txt, sizeof Templates_email_ja_change_email_subject_txt},
    {"Templates/email/ja/change-email.txt", Templates_email_ja_change_email_txt, sizeof Templates_email_ja_change_email_txt},
    {"Templates/email/ja/email-changed.html", Templates_email_ja_email_changed_html, sizeof Templates_email_ja_email_changed_html},
    {"Templates/email/ja/email-changed.preheader.txt", Templates_email_ja_email_changed_preheader_txt, sizeof Templates_email_ja_email_changed_preheader_txt},
    {"Templates/email/ja/email-changed.subject.txt", Templates_email_ja_email_changed_subject_txt, sizeof Templates_email_ja_email_changed_subject_txt},
    {"Templates/email/ja/email-changed.txt", Templates_email_ja_email_changed_txt, sizeof Templates_email_ja_email_changed_txt},
    {"Templates/email/ja/email-in-use.html", Templates_email_ja_email_in_use_html, sizeof Templates_email_ja_email_in_use_html},
    {"Templates/email/ja/email-in-use.preheader.txt", Templates_email_ja_email_in_use_preheader_txt, sizeof Templates_email_ja_email_in_use_preheader_txt},
    {"Templates/email/ja/email-in-use.subject.txt", Templates_email_ja_email_in_use_subject_txt, sizeof Templates_email_ja_email_in_use_subject_txt},
    {"Templates/email/ja/email-in-use.txt", Templates_email_ja_email_in_use_txt, sizeof Templates_email_ja_email_in_use_txt},
    {"Templates/email/ja/sign-in.html", Templates_email_ja_sign_in_html, sizeof Templates_email_ja_sign_in_html},
    {"Templates/email/ja/sign-in.preheader.txt", Templates_email_ja_sign_in_preheader_txt, sizeof Templates_email_ja_sign_in_preheader_txt},
    {"Templates/email/ja/sign-in.subject.txt", Templates_email_ja_sign_in_subject_txt, sizeof Templates_email_ja_sign_in_subject_txt},
    {"Templates/email/ja/sign-in.txt", Templates_email_ja_sign_in_txt, sizeof Templates_email_ja_sign_in_txt},
    {"Templates/email/ja/unknown-device.txt", Templates_email_ja_unknown_device_txt, sizeof Templates_email_ja_unknown_device_txt},
    {"Templates/email/ja/verify-email.html", Templates_email_ja_verify_email_html, sizeof Templates_email_ja_verify_email_html},
    {"Templates/email/ja/verify-email.preheader.txt", Templates_email_ja_verify_email_preheader_txt, sizeof Templates_email_ja_verify_email_preheader_txt},
    {"Templates/email/ja/verify-email.subject.txt", Templates_email_ja_verify_email_subject_txt, sizeof Templates_email_ja_verify_email_subject_txt},
    {"Templates/email/ja/verify-email.txt", Templates_email_ja_verify_email_txt, sizeof Templates_email_ja_verify_email_txt},
    {"Templates/email/layout.html", Templates_email_layout_html, sizeof Templates_email_layout_html},
    {"Templates/email/pt-BR/change-email.html", Templates_email_pt_BR_change_email_html, sizeof Templates_email_pt_BR_change_email_html},
    {"Templates/email/pt-BR/change-email.preheader.txt", Templates_email_pt_BR_change_email_preheader_txt, sizeof Templates_email_pt_BR_change_email_preheader_txt},
    {"Templates/email/pt-BR/change-email.subject.txt", Templates_email_pt_BR_change_email_subject_txt, sizeof Templates_email_pt_BR_change_email_subject_txt},
    {"Templates/email/pt-BR/change-email.txt", Templates_email_pt_BR_change_email_txt, sizeof Templates_email_pt_BR_change_email_txt},
    {"Templates/email/pt-BR/email-changed.html", Templates_email_pt_BR_email_changed_html, sizeof Templates_email_pt_BR_email_changed_html},
    {"Templates/email/pt-BR/email-changed.preheader.txt", Templates_email_pt_BR_email_changed_preheader_txt, sizeof Templates_email_pt_BR_email_changed_preheader_txt},
    {"Templates/email/pt-BR/email-changed.subject.txt", Templates_email_pt_BR_email_changed_subject_txt, sizeof Templates_email_pt_BR_email_changed_subject_txt},
    {"Templates/email/pt-BR/email-changed.txt", Templates_email_pt_BR_email_changed_txt, sizeof Templates_email_pt_BR_email_changed_txt},
    {"Templates/email/pt-BR/email-in-use.html", Templates_email_pt_BR_email_in_use_html, sizeof Templates_email_pt_BR_email_in_use_html},
    {"Templates/email/pt-BR/email-in-use.preheader.txt", Templates_email_pt_BR_email_in_use_preheader_txt, sizeof Templates_email_pt_BR_email_in_use_preheader_txt},
    {"Templates/email/pt-BR/email-in-use.subject.txt", Templates_email_pt_BR_email_in_use_subject_txt, sizeof Templates_email_pt_BR_email_in_use_subject_txt},
    {"Templates/email/pt-BR/email-in-use.txt", Templates_email_pt_BR_email_in_use_txt, sizeof Templates_email_pt_BR_email_in_use_txt},
    {"Templates/email/pt-BR/sign-in.html", Templates_email_pt_BR_sign_in_html, sizeof Templates_email_pt_BR_sign_in_html},
    {"Templates/email/pt-BR/sign-in.preheader.txt", Templates_email_pt_BR_sign_in_preheader_txt, sizeof Templates_email_pt_BR_sign_in_preheader_txt},
    {"Templates/email/pt-BR/sign-in.subject.txt", Templates_email_pt_BR_sign_in_subject_txt, sizeof Templates_email_pt_BR_sign_in_subject_txt},
    {"Templates/email/pt-BR/sign-in.txt", Templates_email_pt_BR_sign_in_txt, sizeof Templates_email_pt_BR_sign_in_txt},
    {"Templates/email/pt-BR/unknown-device.txt", Templates_email_pt_BR_unknown_device_txt, sizeof Templates_email_pt_BR_unknown_device_txt},
    {"Templates/email/pt-BR/verify-email.html", Templates_email_pt_BR_verify_email_html, sizeof Templates_email_pt_BR_verify_email_html},
    {"Templates/email/pt-BR/verify-email.preheader.txt", Templates_email_pt_BR_verify_email_preheader_txt, sizeof Templates_email_pt_BR_verify_email_preheader_txt},
    {"Templates/email/pt-BR/verify-email.subject.txt", Templates_email_pt_BR_verify_email_subject_txt, sizeof Templates_email_pt_BR_verify_email_subject_txt},
    {"Templates/email/pt-BR/verify-email.txt", Templates_email_pt_BR_verify_email_txt, sizeof Templates_email_pt_BR_verify_email_txt},
    {"Templates/pages/style.css", Templates_pages_style_css, sizeof Templates_pages_style_css},
};

const latchkey_resource *latchkey_resources(size_t *count) {
    *count = sizeof resources / sizeof *resources;
    return resources;
}
