// Made by Scripts/embed-resources (`make resources`); do not edit.
#include "Resources.h"

// sha256 38102cd34f29e40db6af41e0f47bbf676e849f6282f802ba63327d1f747787cc
static const unsigned char Sources_Database_Migrations_0001_accounts_sql[] = {
#embed "../../Sources/Database/Migrations/0001_accounts.sql"
};

// sha256 8d22ab1a6a543148a34792088417f945e41fc84f846a715cbe3268b3d6eddfa3
static const unsigned char Sources_Database_Migrations_0002_assets_sql[] = {
#embed "../../Sources/Database/Migrations/0002_assets.sql"
};

// sha256 1de11d94e7f12dc80515ab8748433a2d2e85986892e9866a740943658bc3b574
static const unsigned char Sources_Database_Migrations_0003_providers_sql[] = {
#embed "../../Sources/Database/Migrations/0003_providers.sql"
};

// sha256 260d309196dd383aa38e321bda21a93f68ffff44ef25de51bf7c2e5d3c5e3c86
static const unsigned char Sources_Database_Migrations_0004_nodes_sql[] = {
#embed "../../Sources/Database/Migrations/0004_nodes.sql"
};

// sha256 94b1a4fee883d34728ffafe2440dbb7e9e1d6e861fe07976aa27d133b00eac7e
static const unsigned char Sources_Database_Migrations_0005_sign_in_codes_sql[] = {
#embed "../../Sources/Database/Migrations/0005_sign_in_codes.sql"
};

// sha256 87bea360b8c11b5b246e949deb24890588beb54ad200e28657a6b6fd2fd9b3a3
static const unsigned char Sources_Database_Migrations_0006_known_clients_sql[] = {
#embed "../../Sources/Database/Migrations/0006_known_clients.sql"
};

// sha256 7f37bdb1064f5b1e98e231cf81fba22d29dc2a76fc157b12b33546f83f068ec2
static const unsigned char Sources_Database_Migrations_0007_mail_queue_sql[] = {
#embed "../../Sources/Database/Migrations/0007_mail_queue.sql"
};

// sha256 35d7372bdec779aefe05ff2880bb91b0802bb9962929d7c489da9a47a88ac012
static const unsigned char Sources_Database_Migrations_0008_takeovers_sql[] = {
#embed "../../Sources/Database/Migrations/0008_takeovers.sql"
};

// sha256 5681045cf59936d241f8ec326baf02bf697cb07c701c18cb65c4cebb909cf753
static const unsigned char Sources_Database_Migrations_0009_recent_sign_in_sql[] = {
#embed "../../Sources/Database/Migrations/0009_recent_sign_in.sql"
};

// sha256 e9f5924962867ebdd2140e0302caf60d9522895deb524d74d0f6b090a5edacfd
static const unsigned char Sources_Database_Migrations_0010_notices_sql[] = {
#embed "../../Sources/Database/Migrations/0010_notices.sql"
};

// sha256 b21e0cbaadd5dc9572ac56345c96f2260e70a210b2c35ec21feef30981659439
static const unsigned char Sources_Database_Migrations_0011_sessions_sql[] = {
#embed "../../Sources/Database/Migrations/0011_sessions.sql"
};

// sha256 7edf599b6408f8693e0aa4346ec0c44b2e35a797fd41b05b036b6f9c9bfa7a5e
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

// sha256 e5843907378674dc5e6813ccc2d6881928051af8239e6d69085c1b454d8e03dc
static const unsigned char Templates_email_de_change_email_txt[] = {
#embed "../../Templates/email/de/change-email.txt"
};

// sha256 e42b7d03e00a92274ad702c2e1b9bb0b3c158717c9325f3df2708c72c64f5e3a
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

// sha256 baa5c7b2a618274940715bd0d073cdaf9e71518a324948d3d2a2794d4b3a9ff0
static const unsigned char Templates_email_de_email_changed_txt[] = {
#embed "../../Templates/email/de/email-changed.txt"
};

// sha256 d2e0db409d5785ae41d79ccac363a4b66b0e20348faa33414535674399ace0a3
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

// sha256 bb1f644e00dba56970be416d8f686d0e2a242ca774f30dd2f5a7d7dcd638fc7e
static const unsigned char Templates_email_de_email_in_use_txt[] = {
#embed "../../Templates/email/de/email-in-use.txt"
};

// sha256 e007e5404a9a051c65f6f813bfad43806844ec7cdf7da3309c606e572b92c55f
static const unsigned char Templates_email_de_method_added_html[] = {
#embed "../../Templates/email/de/method-added.html"
};

// sha256 c0724ea01175f451cdfe50dd4bab7ebbc6d1f5c8809d4cd94a9712ecf5ab5a7d
static const unsigned char Templates_email_de_method_added_preheader_txt[] = {
#embed "../../Templates/email/de/method-added.preheader.txt"
};

// sha256 73088cc0a0c9b62eb62925373f1663b8cacb58f8e11f0da8586bf85b97b0743f
static const unsigned char Templates_email_de_method_added_subject_txt[] = {
#embed "../../Templates/email/de/method-added.subject.txt"
};

// sha256 97067c6cbfe0e4ba4a5e4498247ed831f628e4a1868928b3d95b8aa33e454f8f
static const unsigned char Templates_email_de_method_added_txt[] = {
#embed "../../Templates/email/de/method-added.txt"
};

// sha256 0d81347d0201018b3d7f048050d800f9942c00bb5b8066f9c6d9dbcb29ddf6fb
static const unsigned char Templates_email_de_method_removed_html[] = {
#embed "../../Templates/email/de/method-removed.html"
};

// sha256 c0724ea01175f451cdfe50dd4bab7ebbc6d1f5c8809d4cd94a9712ecf5ab5a7d
static const unsigned char Templates_email_de_method_removed_preheader_txt[] = {
#embed "../../Templates/email/de/method-removed.preheader.txt"
};

// sha256 2b6d4cbe21ecdaa7b9317930753fc2e2f411868d08dc6ae74ffbec118a45b547
static const unsigned char Templates_email_de_method_removed_subject_txt[] = {
#embed "../../Templates/email/de/method-removed.subject.txt"
};

// sha256 c0177156fce0b55e027cdb84689dca1f4383848edc927b5178de1e922dafd481
static const unsigned char Templates_email_de_method_removed_txt[] = {
#embed "../../Templates/email/de/method-removed.txt"
};

// sha256 9af95f93be506fe3a9358c1fc7431a8af49525ce5e041f4fec0ad78f32918058
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

// sha256 87165968ccd2563e6bfa681030969de7319a5403bf4b1f09c8f44d883a536b10
static const unsigned char Templates_email_de_unknown_account_txt[] = {
#embed "../../Templates/email/de/unknown-account.txt"
};

// sha256 a2288d49d1fa1752b7de6526cd17f4caa5671b55060232cad38f1bef8f86bb01
static const unsigned char Templates_email_de_unknown_device_txt[] = {
#embed "../../Templates/email/de/unknown-device.txt"
};

// sha256 13d87a4d3ec4ceabbeda3d75339b53cb93461da315909754407957236248dfac
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

// sha256 04ef839bc0e05b520d314780c0b280978374221a806c400157dd6a0b5881c249
static const unsigned char Templates_email_de_verify_email_txt[] = {
#embed "../../Templates/email/de/verify-email.txt"
};

// sha256 66ac930474fbbef6a585d69e438b93cf9ea1f6817bca030c40b2d55be13e2efd
static const unsigned char Templates_email_en_change_email_html[] = {
#embed "../../Templates/email/en/change-email.html"
};

// sha256 adb0940cf7f73bd14155cd51f33adb8167db9a67ce44d40cb2d5ffa56d6c60bf
static const unsigned char Templates_email_en_change_email_preheader_txt[] = {
#embed "../../Templates/email/en/change-email.preheader.txt"
};

// sha256 043d263795276cfa75c98776eac62e5229b9fc70e4d7497a16373270f9254e18
static const unsigned char Templates_email_en_change_email_subject_txt[] = {
#embed "../../Templates/email/en/change-email.subject.txt"
};

// sha256 a8362f4fe780aca8e50ff15bc0ac80ec69abc3f0261ca033cab9384621a7a3a2
static const unsigned char Templates_email_en_change_email_txt[] = {
#embed "../../Templates/email/en/change-email.txt"
};

// sha256 655a242ce953c2b7b75da377ac718b34ae91e8344f5d995b8ab9cb60f001cc6d
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

// sha256 d8db9a4670184e721ef6ba8311e5dea4e0e02bab1b02ea4178b0c8cbb8fd786d
static const unsigned char Templates_email_en_email_changed_txt[] = {
#embed "../../Templates/email/en/email-changed.txt"
};

// sha256 db1bfccb97f7df650a122e66b09664098f609b2df8b64423c8b631e660db8cc0
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

// sha256 e07824c3dce43db3119631a75cd3eae69ff9560e48f8178aec35d2f67bea0c06
static const unsigned char Templates_email_en_method_added_html[] = {
#embed "../../Templates/email/en/method-added.html"
};

// sha256 6d909a23fa8148e61aaa6277012c0f8a8abc89638d7fbca17bcc15b633afc476
static const unsigned char Templates_email_en_method_added_preheader_txt[] = {
#embed "../../Templates/email/en/method-added.preheader.txt"
};

// sha256 273a45c90c10229588aa0f78a7d9a89f6fa3540d671b2ad562b73d39b9732a97
static const unsigned char Templates_email_en_method_added_subject_txt[] = {
#embed "../../Templates/email/en/method-added.subject.txt"
};

// sha256 faabcf3afdbf683bbd44bf6c28d44ff237f9fc41e6d0a83d4ad904077513f8f8
static const unsigned char Templates_email_en_method_added_txt[] = {
#embed "../../Templates/email/en/method-added.txt"
};

// sha256 31273d7d353bf7a9de007eabf5d3c46b444efaea430ed58132c72e9236cf0b71
static const unsigned char Templates_email_en_method_removed_html[] = {
#embed "../../Templates/email/en/method-removed.html"
};

// sha256 6d909a23fa8148e61aaa6277012c0f8a8abc89638d7fbca17bcc15b633afc476
static const unsigned char Templates_email_en_method_removed_preheader_txt[] = {
#embed "../../Templates/email/en/method-removed.preheader.txt"
};

// sha256 58659922cd13bd1e45f9798118ec1a17a02dbc42b57b367828d5f0632a92c95a
static const unsigned char Templates_email_en_method_removed_subject_txt[] = {
#embed "../../Templates/email/en/method-removed.subject.txt"
};

// sha256 6fac793af83a63d549945cafa95e4ceb4450cb14fa86687057e9a7e8766b44d1
static const unsigned char Templates_email_en_method_removed_txt[] = {
#embed "../../Templates/email/en/method-removed.txt"
};

// sha256 771369f52762eb944f4988853a36fae0302ae7966e48ed4161b5d94d6ef066fa
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

// sha256 45bf8503cddd6763e3860a8ca7a090928cc4be1874b5a6f01e89d46aaa38ccb2
static const unsigned char Templates_email_en_unknown_account_txt[] = {
#embed "../../Templates/email/en/unknown-account.txt"
};

// sha256 592d536f40802b5916788f7b2a7f5d83dd230985e2169eb7317ea48f31d70235
static const unsigned char Templates_email_en_unknown_device_txt[] = {
#embed "../../Templates/email/en/unknown-device.txt"
};

// sha256 0106a51d517bde62409a8bb8a1298146bce6d781d66f402752d56ec6e834c93d
static const unsigned char Templates_email_en_verify_email_html[] = {
#embed "../../Templates/email/en/verify-email.html"
};

// sha256 1f9362ff5efbd9cc4ca040622f3899aee0a4ee618b23bc3dc89fc5f54683b3a8
static const unsigned char Templates_email_en_verify_email_preheader_txt[] = {
#embed "../../Templates/email/en/verify-email.preheader.txt"
};

// sha256 a85d5ba464c68e61dbf6a5e8fb364bc41a0a5915486c3fc6d9896e13b1be7fc6
static const unsigned char Templates_email_en_verify_email_subject_txt[] = {
#embed "../../Templates/email/en/verify-email.subject.txt"
};

// sha256 05aa06235a7befc620d2f6a8ea9fe7f024b2fa682d32b05e705497b523b08de8
static const unsigned char Templates_email_en_verify_email_txt[] = {
#embed "../../Templates/email/en/verify-email.txt"
};

// sha256 fa286592b49fb483b8ef6d96e8a3a30c01adfd38fb333d37e13a0e7a558c617c
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

// sha256 da3e72b217ff5328874656b716c6e3a464ed2db83a7c37411fa37d8e1964ef6a
static const unsigned char Templates_email_es_change_email_txt[] = {
#embed "../../Templates/email/es/change-email.txt"
};

// sha256 24050be8a1cebae08f51339705443a2ff6045b187c81b8615ed9b0d4fc11c43c
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

// sha256 d1c2b83b1e4c760ec5c9d3dae84df210a31e2033e19cb00d8042a8c93af85fa6
static const unsigned char Templates_email_es_email_changed_txt[] = {
#embed "../../Templates/email/es/email-changed.txt"
};

// sha256 f26cea5828e8e02c295ca6562a468acd902451acd6a1d2fd9c6bd37695171641
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

// sha256 54237c06b5de03975d388ad85efd213c34a19c0c27ee67f5d80d0446990cb369
static const unsigned char Templates_email_es_method_added_html[] = {
#embed "../../Templates/email/es/method-added.html"
};

// sha256 f32abba8615ea1742824506c1f4d01c9173415e387064337269d0ab9e7a0b8ca
static const unsigned char Templates_email_es_method_added_preheader_txt[] = {
#embed "../../Templates/email/es/method-added.preheader.txt"
};

// sha256 386e312bd8aa0cf90de8719db906bc59a70b6843e9a73c05f4055c36ac704fe2
static const unsigned char Templates_email_es_method_added_subject_txt[] = {
#embed "../../Templates/email/es/method-added.subject.txt"
};

// sha256 7dfa57fcc716b3f8ea6c61ed7cdd43cb73c6175bc8da7d4b561af38ea2ebf32f
static const unsigned char Templates_email_es_method_added_txt[] = {
#embed "../../Templates/email/es/method-added.txt"
};

// sha256 f2f76db0454a63d60fa3d97cbb6e914facaae1a4e9b6765a330db0bc03c85b7c
static const unsigned char Templates_email_es_method_removed_html[] = {
#embed "../../Templates/email/es/method-removed.html"
};

// sha256 f32abba8615ea1742824506c1f4d01c9173415e387064337269d0ab9e7a0b8ca
static const unsigned char Templates_email_es_method_removed_preheader_txt[] = {
#embed "../../Templates/email/es/method-removed.preheader.txt"
};

// sha256 35f313ad3977582b0d9f88764ad3fde3a0566ba5f573023fbaddae3cdd449d16
static const unsigned char Templates_email_es_method_removed_subject_txt[] = {
#embed "../../Templates/email/es/method-removed.subject.txt"
};

// sha256 cc0f500b8841c734bd84e9a5372998a98122b69c30bcd023924f82d77d1ccbbd
static const unsigned char Templates_email_es_method_removed_txt[] = {
#embed "../../Templates/email/es/method-removed.txt"
};

// sha256 6bbe1f653fc3b7716adaf2c1e157dee139b8c65912e5b72287a1aa7d3041de37
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

// sha256 71a1834cea492c9a1b1a733ccce5622e9589065f72ed89103ed9f3470adb4172
static const unsigned char Templates_email_es_unknown_account_txt[] = {
#embed "../../Templates/email/es/unknown-account.txt"
};

// sha256 5dc581d89f0846b55875aa3b07a17de4bafd0e253dc617ced33b3739260fddff
static const unsigned char Templates_email_es_unknown_device_txt[] = {
#embed "../../Templates/email/es/unknown-device.txt"
};

// sha256 9c1900a4de89e37d2c82c31a33b9e221ffb8d3fc516756522e88a654a491efac
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

// sha256 8e9818b146528708e949172b39a60dc39cb8fb23669b1723f10b0a244cdc2dde
static const unsigned char Templates_email_es_verify_email_txt[] = {
#embed "../../Templates/email/es/verify-email.txt"
};

// sha256 62a97ff84b6b4469fa95ffc0f1c815f180478f16fbba777130749fe31bd53934
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

// sha256 95d197bddaf389b3410a4e0c44703019a7609201d5adfb1e10af0668c9d5ff56
static const unsigned char Templates_email_fr_change_email_txt[] = {
#embed "../../Templates/email/fr/change-email.txt"
};

// sha256 a0172f359c2ef93c0bdc82cb8917da74c75b684a4b1bed8ac8c294a8f02bb40c
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

// sha256 de6c369d73ee7a2d04c81305fe5762efc9ddd23b25879d71bbe6e4f819690433
static const unsigned char Templates_email_fr_email_changed_txt[] = {
#embed "../../Templates/email/fr/email-changed.txt"
};

// sha256 91f19025d54954a118e47f9b14552f0bd2497d0d15df8244d516dde18cfd6ca0
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

// sha256 9ec56e301ce86251236424a648aeaf574a4d713593b0c3bb4a686e88cb8ca8da
static const unsigned char Templates_email_fr_method_added_html[] = {
#embed "../../Templates/email/fr/method-added.html"
};

// sha256 53c313226fdeb10f7e70108bdb9b8df3dc25b4da0b9fdac59ff7765c2d721356
static const unsigned char Templates_email_fr_method_added_preheader_txt[] = {
#embed "../../Templates/email/fr/method-added.preheader.txt"
};

// sha256 598da485803764233c5f35918ca01b664d71b74a607d8449adfaeca424076d1d
static const unsigned char Templates_email_fr_method_added_subject_txt[] = {
#embed "../../Templates/email/fr/method-added.subject.txt"
};

// sha256 516d0b9c3253e1606de9d1cef43969ffdced9bdf0a1e3a9a7832a8a0d53ac28b
static const unsigned char Templates_email_fr_method_added_txt[] = {
#embed "../../Templates/email/fr/method-added.txt"
};

// sha256 7af27da4b71f5ddf0a0d97e9494f0d4424d8306437227d79179634f7bfae06d2
static const unsigned char Templates_email_fr_method_removed_html[] = {
#embed "../../Templates/email/fr/method-removed.html"
};

// sha256 53c313226fdeb10f7e70108bdb9b8df3dc25b4da0b9fdac59ff7765c2d721356
static const unsigned char Templates_email_fr_method_removed_preheader_txt[] = {
#embed "../../Templates/email/fr/method-removed.preheader.txt"
};

// sha256 01ef43b5341ae5a369c3d93b6842bf573f2190c82789b29e379a4f92fc2ed87f
static const unsigned char Templates_email_fr_method_removed_subject_txt[] = {
#embed "../../Templates/email/fr/method-removed.subject.txt"
};

// sha256 3e807c050f6c6c191e44a48c951aa6d6b36a917762ee9f6737daaa24373796b0
static const unsigned char Templates_email_fr_method_removed_txt[] = {
#embed "../../Templates/email/fr/method-removed.txt"
};

// sha256 fab9326102d4bf3e210a1d24439f959fc602e112a569ad2cf57c2abd5c32f42d
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

// sha256 2d560d565d3fdd0beed83ce843789d8e26f502c3daedb36556a95c0209c5a3e8
static const unsigned char Templates_email_fr_unknown_account_txt[] = {
#embed "../../Templates/email/fr/unknown-account.txt"
};

// sha256 5f9b80ecfe5479d2a399fe6abc9bda520c92f1bf4aa99928351a6809292f35e2
static const unsigned char Templates_email_fr_unknown_device_txt[] = {
#embed "../../Templates/email/fr/unknown-device.txt"
};

// sha256 5fae13d72236a3b469912fc7284fc28088e143827b4a156ee81ce8c960c45385
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

// sha256 2f32c838b882f2154062503ff8c5dfd26de155ffd6ffeacf20289d33c3f09d4f
static const unsigned char Templates_email_fr_verify_email_txt[] = {
#embed "../../Templates/email/fr/verify-email.txt"
};

// sha256 931b337140c1809fffd8f393e77af6e20b0ad6436d952f53682921c23166e194
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

// sha256 021c488d21f868515f6b859d7925a6e12cf901cd2595442812b790b39ddf9449
static const unsigned char Templates_email_id_change_email_txt[] = {
#embed "../../Templates/email/id/change-email.txt"
};

// sha256 afe15d206240fc063132e3eb32d4c671ff318bac0d116f39adad4837d8b4c569
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

// sha256 88fd9ce180be1d9fd1891449afe40e3871f0c6c8ac7fb61c9bfbc495bed186f3
static const unsigned char Templates_email_id_email_changed_txt[] = {
#embed "../../Templates/email/id/email-changed.txt"
};

// sha256 c98152d73c1987876dee8038d0995d68eeed7287d9aa6ba01f0ce85f6cada1a9
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

// sha256 fb7cf2e3045bf2c0ccf258aa36266888d1009867a4597ba93d2d5d179418f80b
static const unsigned char Templates_email_id_method_added_html[] = {
#embed "../../Templates/email/id/method-added.html"
};

// sha256 420895e192ff630d0c35291e5edc380b5154a56ec01954dbe234dd3b4d493c88
static const unsigned char Templates_email_id_method_added_preheader_txt[] = {
#embed "../../Templates/email/id/method-added.preheader.txt"
};

// sha256 cee322a1de9a8787195798ce81b03dbcb0ff479420bca8e0199a1618f3690a48
static const unsigned char Templates_email_id_method_added_subject_txt[] = {
#embed "../../Templates/email/id/method-added.subject.txt"
};

// sha256 9734f719f95a1bf15c5244352c57b5210864104390662a5d733069f2a2d78349
static const unsigned char Templates_email_id_method_added_txt[] = {
#embed "../../Templates/email/id/method-added.txt"
};

// sha256 afaeb487690c7e66b9eafa7eb8a4b016f34dda6457864c6b654fb182b1ed92d2
static const unsigned char Templates_email_id_method_removed_html[] = {
#embed "../../Templates/email/id/method-removed.html"
};

// sha256 420895e192ff630d0c35291e5edc380b5154a56ec01954dbe234dd3b4d493c88
static const unsigned char Templates_email_id_method_removed_preheader_txt[] = {
#embed "../../Templates/email/id/method-removed.preheader.txt"
};

// sha256 008a4399be09ba3647e36f849d8b30bd85b699f316435c4a9eb9848c0e589bf7
static const unsigned char Templates_email_id_method_removed_subject_txt[] = {
#embed "../../Templates/email/id/method-removed.subject.txt"
};

// sha256 98f29157dd9bae88d406054ab7d53d0fe081bbdad6ccc873db89506ccd4c9966
static const unsigned char Templates_email_id_method_removed_txt[] = {
#embed "../../Templates/email/id/method-removed.txt"
};

// sha256 8a77f5b90134429e31d68025bf2bd69df3de11c9c4517d0fc890731b1601da11
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

// sha256 13639243c1609f2a4418a053a123eb3f79d16a4e8a55968e6b6808734067e7c1
static const unsigned char Templates_email_id_unknown_account_txt[] = {
#embed "../../Templates/email/id/unknown-account.txt"
};

// sha256 666849d0b9e23f02035249ff3c8f823958d3e644fbaf1f63de122879bb2b9bdc
static const unsigned char Templates_email_id_unknown_device_txt[] = {
#embed "../../Templates/email/id/unknown-device.txt"
};

// sha256 227631bb8fba9722c98acca475ddfd96470c89609bdc8034c715d639b8283bc1
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

// sha256 ff7dec05132c6d79d6402689ad345d9ad1627cb1275d5a91e3113bd5a55bb0c4
static const unsigned char Templates_email_id_verify_email_txt[] = {
#embed "../../Templates/email/id/verify-email.txt"
};

// sha256 6fe0734e5fc108c1d009f35c6efa4e69dde246ec2718fb5a9c2337aeb7bf5f41
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

// sha256 96a6be62f09d6f98f24d8c890cac7e4e180692fb911683cc54cf578e26095d73
static const unsigned char Templates_email_it_change_email_txt[] = {
#embed "../../Templates/email/it/change-email.txt"
};

// sha256 20e711dd060acbf2ad3d45fcff5ba3c8ddbeaf085053ecc9617f81d87add6272
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

// sha256 a9db4aa3aeef183c6fdafc06e0bbb7582e139e01d22a4178eacabc47a0ee4651
static const unsigned char Templates_email_it_email_changed_txt[] = {
#embed "../../Templates/email/it/email-changed.txt"
};

// sha256 2d8232545dd9d9d3e1401a747205c9b84a4270ecf970bf3e4b20fb01b53efb9d
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

// sha256 d5418fe5c12d6491e7adcde602254ae79eb57911ff8410848773c8dab2567696
static const unsigned char Templates_email_it_method_added_html[] = {
#embed "../../Templates/email/it/method-added.html"
};

// sha256 7742c6c879a700c2487913c4f40e828c01d7f4296147ff2dc3ecfff6419b1924
static const unsigned char Templates_email_it_method_added_preheader_txt[] = {
#embed "../../Templates/email/it/method-added.preheader.txt"
};

// sha256 2612e20674cfc4a31025d6c157c5b32a1dd819f74a7c10dec423b66b80baf47d
static const unsigned char Templates_email_it_method_added_subject_txt[] = {
#embed "../../Templates/email/it/method-added.subject.txt"
};

// sha256 c9bbdb5e22f1ef30fabf6e071b59dc6aa82f242343b0036525bb9041c00432cb
static const unsigned char Templates_email_it_method_added_txt[] = {
#embed "../../Templates/email/it/method-added.txt"
};

// sha256 a581753fb98614a4ece5441a76c6bb07e14d579eb7c1960f23749fb0a92b46b5
static const unsigned char Templates_email_it_method_removed_html[] = {
#embed "../../Templates/email/it/method-removed.html"
};

// sha256 7742c6c879a700c2487913c4f40e828c01d7f4296147ff2dc3ecfff6419b1924
static const unsigned char Templates_email_it_method_removed_preheader_txt[] = {
#embed "../../Templates/email/it/method-removed.preheader.txt"
};

// sha256 67144b4e4fb489609da9cdfe5b909607af4073a83d2f1f8752de5aaac6cde80d
static const unsigned char Templates_email_it_method_removed_subject_txt[] = {
#embed "../../Templates/email/it/method-removed.subject.txt"
};

// sha256 3e893a3155b50862d121b4d521e5ea7748479c53526348359585786bbb927806
static const unsigned char Templates_email_it_method_removed_txt[] = {
#embed "../../Templates/email/it/method-removed.txt"
};

// sha256 528e25b9b120aad90161ef84b27ed16bf62db02730bea2f7151a2ae1bf562a79
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

// sha256 ee804214ad624fa3ffc7ca8dce6283cf17f626279fe6d2571efd704b79a8117d
static const unsigned char Templates_email_it_unknown_account_txt[] = {
#embed "../../Templates/email/it/unknown-account.txt"
};

// sha256 ab33fbaccb2b4a3596ead3920e37ebb62fc48ea17b78417e1bc3fefe37ee1622
static const unsigned char Templates_email_it_unknown_device_txt[] = {
#embed "../../Templates/email/it/unknown-device.txt"
};

// sha256 ea974dee3acddb7edde018520077337ce36bca84610b50542ab0e5e43cb524ef
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

// sha256 a196aec74742f8719e67ad8a2279d4a6d0c6ad7062690a555ab7131d030ef073
static const unsigned char Templates_email_it_verify_email_txt[] = {
#embed "../../Templates/email/it/verify-email.txt"
};

// sha256 d2c9f70c60cdf1c7e39a4ab39ba76d0888fa816aa559b3b533d8eeacca990890
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

// sha256 c8084d88a21528b3053dbc755a56d87f380e5753bd56c14b5631345c5ccee052
static const unsigned char Templates_email_ja_change_email_txt[] = {
#embed "../../Templates/email/ja/change-email.txt"
};

// sha256 8c44fe49cbd7fe34e3c262dd638ff2aab59bcc522d544799339093fd04f5cc38
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

// sha256 f696335758c7079dd4961cd8f3fb042a6d62a4c09aedebc3e87549476c4ebfc3
static const unsigned char Templates_email_ja_email_changed_txt[] = {
#embed "../../Templates/email/ja/email-changed.txt"
};

// sha256 666ff1e7708b9214d2f7aedaccda34fd42a0d138762ddc74add7b9a6ac798478
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

// sha256 e795936c754c734b679dfc0d59953935ab3a7eaf28d70fe61b5ff183c50b0470
static const unsigned char Templates_email_ja_method_added_html[] = {
#embed "../../Templates/email/ja/method-added.html"
};

// sha256 f5304c9ab9f3f542f920c981cbcdf6144fe952093491485a2efe1ad54df134eb
static const unsigned char Templates_email_ja_method_added_preheader_txt[] = {
#embed "../../Templates/email/ja/method-added.preheader.txt"
};

// sha256 441f9feb277da2b4c57c75b4c43daa95e0014b4586bf97ffbb446674c6a765f6
static const unsigned char Templates_email_ja_method_added_subject_txt[] = {
#embed "../../Templates/email/ja/method-added.subject.txt"
};

// sha256 f166aaa3a84e883712179c7bc4ccb620514ef7aaeae2f68d72b280923eda4f0f
static const unsigned char Templates_email_ja_method_added_txt[] = {
#embed "../../Templates/email/ja/method-added.txt"
};

// sha256 2a8f0f39d6b9b52bd038b51a43d9301fac361bb297aa7aede3d7bf636a066ad6
static const unsigned char Templates_email_ja_method_removed_html[] = {
#embed "../../Templates/email/ja/method-removed.html"
};

// sha256 f5304c9ab9f3f542f920c981cbcdf6144fe952093491485a2efe1ad54df134eb
static const unsigned char Templates_email_ja_method_removed_preheader_txt[] = {
#embed "../../Templates/email/ja/method-removed.preheader.txt"
};

// sha256 c47a321118f752f94a223afa6009ada61088aa4462e86627081acf0a11126fea
static const unsigned char Templates_email_ja_method_removed_subject_txt[] = {
#embed "../../Templates/email/ja/method-removed.subject.txt"
};

// sha256 a4612562c0e4cfa1a798f869487dac604c023d61d9db30fa16e7af275d900cb3
static const unsigned char Templates_email_ja_method_removed_txt[] = {
#embed "../../Templates/email/ja/method-removed.txt"
};

// sha256 1f8a3100ae9b58409c9a96ec5c658005572782c4b8add64020bfc3af6bba0540
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

// sha256 e5980bd179d027d333803c08434c93feecd6f856a37e0d9a903ef1a473536755
static const unsigned char Templates_email_ja_unknown_account_txt[] = {
#embed "../../Templates/email/ja/unknown-account.txt"
};

// sha256 8c9e1b42b835dfdd84f142bb4ba1eb1b4eba043fcedf3f3da19de3915b19b839
static const unsigned char Templates_email_ja_unknown_device_txt[] = {
#embed "../../Templates/email/ja/unknown-device.txt"
};

// sha256 ccec4c768ebfd3a72e0182bad04cd4febeb5671dafbd374f34d83fc7c9cb3869
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

// sha256 1be7fc03e8fe6ba6900bc8dcfe384008a2749f33d76ce94f74d7c6311050a6ca
static const unsigned char Templates_email_ja_verify_email_txt[] = {
#embed "../../Templates/email/ja/verify-email.txt"
};

// sha256 2cefa48a163feab240a0ab0971eb85216af6409a913b282596d39edac1cc8d77
static const unsigned char Templates_email_layout_html[] = {
#embed "../../Templates/email/layout.html"
};

// sha256 6902577ef8bb82005e1f524ac30631e25fb5bea9c78fea06ed2d7554f5032a0b
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

// sha256 b8388b41f31f04a36eefac67e5e2a29a10ad98c7afe44ab3c119cebc39c2a307
static const unsigned char Templates_email_pt_BR_change_email_txt[] = {
#embed "../../Templates/email/pt-BR/change-email.txt"
};

// sha256 e2d06f299d2423ac6e89757711ab592351cf57fdcdc5e7f57db00ac5af09f08d
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

// sha256 69549b2f061d94f69e4ded4a2394579bef65626b2fd437912d0b762df38c3f15
static const unsigned char Templates_email_pt_BR_email_changed_txt[] = {
#embed "../../Templates/email/pt-BR/email-changed.txt"
};

// sha256 562634e46c2ab2132ddc04e234cb7bd4222b19983b5226779577483ea7367eca
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

// sha256 5ab32f77edcc4fbf01606fb455372d20e2a8e30f236c0c3e07867d86bed14723
static const unsigned char Templates_email_pt_BR_method_added_html[] = {
#embed "../../Templates/email/pt-BR/method-added.html"
};

// sha256 2d6cb908068982d63e5d44aa2aa00601d49ab80487d7ed2b881dcb0ee260420e
static const unsigned char Templates_email_pt_BR_method_added_preheader_txt[] = {
#embed "../../Templates/email/pt-BR/method-added.preheader.txt"
};

// sha256 feec431a2e8429a88866c6dcdf038f91916ea65cf0fb6c6255b02a3649463263
static const unsigned char Templates_email_pt_BR_method_added_subject_txt[] = {
#embed "../../Templates/email/pt-BR/method-added.subject.txt"
};

// sha256 cd1b8426dbc309ab58b2c466c3debb15d25d3f1d59b29d2af139117aed913708
static const unsigned char Templates_email_pt_BR_method_added_txt[] = {
#embed "../../Templates/email/pt-BR/method-added.txt"
};

// sha256 d7323956e9cf3c01a557c846addb805441e35296ec81955af7e7074f94be10f2
static const unsigned char Templates_email_pt_BR_method_removed_html[] = {
#embed "../../Templates/email/pt-BR/method-removed.html"
};

// sha256 2d6cb908068982d63e5d44aa2aa00601d49ab80487d7ed2b881dcb0ee260420e
static const unsigned char Templates_email_pt_BR_method_removed_preheader_txt[] = {
#embed "../../Templates/email/pt-BR/method-removed.preheader.txt"
};

// sha256 b002d1932da52296b0019e6ae4889942c28da8cfb07227f0fd5d0f13650e16d8
static const unsigned char Templates_email_pt_BR_method_removed_subject_txt[] = {
#embed "../../Templates/email/pt-BR/method-removed.subject.txt"
};

// sha256 389d08b3725b6f283d45bb86e1854e63d399fefadeae8d86ebcd2313d7693de2
static const unsigned char Templates_email_pt_BR_method_removed_txt[] = {
#embed "../../Templates/email/pt-BR/method-removed.txt"
};

// sha256 be1e74ab86a289daa42192c1826293208ae99cf9da92f5e4afa0745c159eed50
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

// sha256 310a6dcc6909f7cd2ca18272ddab14c74b67c855adf17c2f4d6c8699c73d0f34
static const unsigned char Templates_email_pt_BR_unknown_account_txt[] = {
#embed "../../Templates/email/pt-BR/unknown-account.txt"
};

// sha256 ec1a48a8fb27fb57e99f07c4a7d03e8c4cfde77d876feb717ff2ff711b278c89
static const unsigned char Templates_email_pt_BR_unknown_device_txt[] = {
#embed "../../Templates/email/pt-BR/unknown-device.txt"
};

// sha256 563733872ff05e369d9f48428505eb8d941417863febaafa4723fabd653a88a8
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

// sha256 cbfd1f36286b6a689850b58ae3cbe5f2faac81a027cc7694cd19f6300bb66611
static const unsigned char Templates_email_pt_BR_verify_email_txt[] = {
#embed "../../Templates/email/pt-BR/verify-email.txt"
};

// sha256 c46ae0f7b3a5daf2c972d6546ced192803431d14bcd05e3480b462b19909b3b0
static const unsigned char Templates_pages_approve_html[] = {
#embed "../../Templates/pages/approve.html"
};

// sha256 fe3956f0f8765802dfc4953b2b3a126d98f7ad33163645ed09b9a3470b9cf3ce
static const unsigned char Templates_pages_approved_html[] = {
#embed "../../Templates/pages/approved.html"
};

// sha256 63209e8f359793b434ce3b511cb0f97a7f5e2385b9715b4816e8083270ab9551
static const unsigned char Templates_pages_code_html[] = {
#embed "../../Templates/pages/code.html"
};

// sha256 23d750dc2623590d0ae91e45bbc0aab29bd532c4212e7bf7a453651841af6edc
static const unsigned char Templates_pages_codes_paused_html[] = {
#embed "../../Templates/pages/codes-paused.html"
};

// sha256 e5072cf5fbc9c57b722c31bd89cacc3172773a0c382a9fb664df637b2d158ebd
static const unsigned char Templates_pages_confirm_change_email_html[] = {
#embed "../../Templates/pages/confirm-change-email.html"
};

// sha256 cfcfa35633990e03dc8de98b4bc95181ab3a284d32871f2a95f4935c5dad749e
static const unsigned char Templates_pages_confirm_contest_html[] = {
#embed "../../Templates/pages/confirm-contest.html"
};

// sha256 a092e8c57b311ae6872a534b769dc802adf57877dc72c8f040e13754a4af394f
static const unsigned char Templates_pages_confirm_recover_email_html[] = {
#embed "../../Templates/pages/confirm-recover-email.html"
};

// sha256 fcbff8a6327b5db07b4e9c58800daa0e0f328ec56fc1026f589fea35a44e34b0
static const unsigned char Templates_pages_confirm_revert_change_html[] = {
#embed "../../Templates/pages/confirm-revert-change.html"
};

// sha256 d49145e4c1005c5fe88e7eb413e247c5f121fcb320f6e1d90b011f438311f3a9
static const unsigned char Templates_pages_confirm_verify_email_html[] = {
#embed "../../Templates/pages/confirm-verify-email.html"
};

// sha256 7bc63f0b79d36eb019a7a0b3b280e8b20ba72b50d347d40c39c2c9978173105d
static const unsigned char Templates_pages_denied_email_html[] = {
#embed "../../Templates/pages/denied-email.html"
};

// sha256 949301158a10d51e3dfe1bb5258b3c3335f4f59445348760a75313fbeaab07f4
static const unsigned char Templates_pages_denied_html[] = {
#embed "../../Templates/pages/denied.html"
};

// sha256 72faa06cd9d9af5eda14011241bfdba9924eeec9b39615a1fb8b7691e563f10d
static const unsigned char Templates_pages_done_change_email_html[] = {
#embed "../../Templates/pages/done-change-email.html"
};

// sha256 ceb54fc9391902bf8f9c6342aabb75221a0f98f4d40011a8d1e5b1a64d78e976
static const unsigned char Templates_pages_done_contest_html[] = {
#embed "../../Templates/pages/done-contest.html"
};

// sha256 7302a7ba241f788eb956a4d1cdbf987020a661479c3b27eb252bf74758f56569
static const unsigned char Templates_pages_done_recover_email_html[] = {
#embed "../../Templates/pages/done-recover-email.html"
};

// sha256 d276288d577abc482e69d83cc92b068b520f6351039fdf5a611ed1f0557a3d37
static const unsigned char Templates_pages_done_revert_change_html[] = {
#embed "../../Templates/pages/done-revert-change.html"
};

// sha256 e4782c9660cac100cd839b593918555b63d91f85864664e23b898cfdb62bdde7
static const unsigned char Templates_pages_done_verify_email_html[] = {
#embed "../../Templates/pages/done-verify-email.html"
};

// sha256 dbe229dc6f33176a7a253bcce75b8cc5e5d24519cc2a78bcaf961ef768006bce
static const unsigned char Templates_pages_error_html[] = {
#embed "../../Templates/pages/error.html"
};

// sha256 aebb9dc87d1d2ab037c65dda37300e1f39c2fed5f0ee01fe1aad82a271a80465
static const unsigned char Templates_pages_expired_no_resend_html[] = {
#embed "../../Templates/pages/expired-no-resend.html"
};

// sha256 7be3932cc36b4a0ccd414a9b011498525ef1a5e79110b9012af2677b2a8cb9c9
static const unsigned char Templates_pages_expired_html[] = {
#embed "../../Templates/pages/expired.html"
};

// sha256 ca7f79b95f3c778b51f334c43a17022a628f20688219de74c58ca4cb2d77e6d3
static const unsigned char Templates_pages_landing_html[] = {
#embed "../../Templates/pages/landing.html"
};

// sha256 33df85ddaaed86b72342bc1c640fae63b3d9aca47c60424892d578046d6e65b7
static const unsigned char Templates_pages_layout_html[] = {
#embed "../../Templates/pages/layout.html"
};

// sha256 1219067c0bbbc86a13d5a56ffc29a5781423ca8076a555922c16c3d5cfe1dac7
static const unsigned char Templates_pages_mailbox_link_html[] = {
#embed "../../Templates/pages/mailbox-link.html"
};

// sha256 e9c29643549eb8850e388c88d4fff8eb49234142b8849d865941b16573c21fc8
static const unsigned char Templates_pages_mailbox_message_html[] = {
#embed "../../Templates/pages/mailbox-message.html"
};

// sha256 0d03c53c19e221df900bdc98d3d3d3494d8e8269d09a42c06e63498e9a2402b1
static const unsigned char Templates_pages_mailbox_row_html[] = {
#embed "../../Templates/pages/mailbox-row.html"
};

// sha256 8a16a069b6767663aa5d8c2e531693a0293152b06e99673c0d8ba5082e70459a
static const unsigned char Templates_pages_mailbox_html[] = {
#embed "../../Templates/pages/mailbox.html"
};

// sha256 7082d0bac43d9423f6e808e248511e4cfc18eab526dd31db1c9b2ac9a7c99b23
static const unsigned char Templates_pages_not_found_html[] = {
#embed "../../Templates/pages/not-found.html"
};

// sha256 5fdaedc6a4c6d93cac5d0395eeca2d1868c540914c043f44824b28e74771075e
static const unsigned char Templates_pages_resent_html[] = {
#embed "../../Templates/pages/resent.html"
};

// sha256 01ed00bd86af35f52ecf572bf7e38e67ec5211ee25848d053a08a8190e5c8655
static const unsigned char Templates_pages_strings_de_json[] = {
#embed "../../Templates/pages/strings/de.json"
};

// sha256 0f04388f329863abf0c6fa2dece790302dfcca024a082ead3d06adc0fd723344
static const unsigned char Templates_pages_strings_en_json[] = {
#embed "../../Templates/pages/strings/en.json"
};

// sha256 14fb2ad2e99103d7e4539f5051551cb4f9ed3c703ac76f3bf2020c63d71102f2
static const unsigned char Templates_pages_strings_es_json[] = {
#embed "../../Templates/pages/strings/es.json"
};

// sha256 470d70c2f81b51bb87d2a661a0586702a81596fed0de429db80570f525036cfc
static const unsigned char Templates_pages_strings_fr_json[] = {
#embed "../../Templates/pages/strings/fr.json"
};

// sha256 175528f825a01f960eb45b927f44ae4eb1ef5af279fa6e6fa310446b3a082bae
static const unsigned char Templates_pages_strings_id_json[] = {
#embed "../../Templates/pages/strings/id.json"
};

// sha256 159800c8f80062dc759ad80756ec18bf7f3a0d9cf9460ab73ec6f52409c6ce69
static const unsigned char Templates_pages_strings_it_json[] = {
#embed "../../Templates/pages/strings/it.json"
};

// sha256 88fa1720a6939f2ace9fa5408668a42fd1b3806364efb70241b81a8cd2f04816
static const unsigned char Templates_pages_strings_ja_json[] = {
#embed "../../Templates/pages/strings/ja.json"
};

// sha256 596db172bb0a9e47d20b18c99839ff9f72e40dc3167ba1f746e915acfcf0245a
static const unsigned char Templates_pages_strings_pt_BR_json[] = {
#embed "../../Templates/pages/strings/pt-BR.json"
};

// sha256 01502674b196fd97181d9562bdd9eb4e742cf5f73212ccbc0a72e13c4e463c68
static const unsigned char Templates_pages_style_css[] = {
#embed "../../Templates/pages/style.css"
};

// sha256 2e2605f7036e1536a079ef6140307e5289e9652d395463b86e626d84d31bf921
static const unsigned char Templates_pages_wrong_address_html[] = {
#embed "../../Templates/pages/wrong-address.html"
};

// sha256 88b4b69a262935f96c3f55d0ac30e660cf82430c6eca25c014c2fc51d36cb540
static const unsigned char Templates_pages_wrong_digits_html[] = {
#embed "../../Templates/pages/wrong-digits.html"
};

// sha256 9f901a1701a06a715e0a6c3f25bda9942523c148b051b7fbcad81eaa8156a69f
static const unsigned char docs_openapi_json[] = {
#embed "../../docs/openapi.json"
};

static const latchkey_resource resources[] = {
    {"Sources/Database/Migrations/0001_accounts.sql", Sources_Database_Migrations_0001_accounts_sql, sizeof Sources_Database_Migrations_0001_accounts_sql},
    {"Sources/Database/Migrations/0002_assets.sql", Sources_Database_Migrations_0002_assets_sql, sizeof Sources_Database_Migrations_0002_assets_sql},
    {"Sources/Database/Migrations/0003_providers.sql", Sources_Database_Migrations_0003_providers_sql, sizeof Sources_Database_Migrations_0003_providers_sql},
    {"Sources/Database/Migrations/0004_nodes.sql", Sources_Database_Migrations_0004_nodes_sql, sizeof Sources_Database_Migrations_0004_nodes_sql},
    {"Sources/Database/Migrations/0005_sign_in_codes.sql", Sources_Database_Migrations_0005_sign_in_codes_sql, sizeof Sources_Database_Migrations_0005_sign_in_codes_sql},
    {"Sources/Database/Migrations/0006_known_clients.sql", Sources_Database_Migrations_0006_known_clients_sql, sizeof Sources_Database_Migrations_0006_known_clients_sql},
    {"Sources/Database/Migrations/0007_mail_queue.sql", Sources_Database_Migrations_0007_mail_queue_sql, sizeof Sources_Database_Migrations_0007_mail_queue_sql},
    {"Sources/Database/Migrations/0008_takeovers.sql", Sources_Database_Migrations_0008_takeovers_sql, sizeof Sources_Database_Migrations_0008_takeovers_sql},
    {"Sources/Database/Migrations/0009_recent_sign_in.sql", Sources_Database_Migrations_0009_recent_sign_in_sql, sizeof Sources_Database_Migrations_0009_recent_sign_in_sql},
    {"Sources/Database/Migrations/0010_notices.sql", Sources_Database_Migrations_0010_notices_sql, sizeof Sources_Database_Migrations_0010_notices_sql},
    {"Sources/Database/Migrations/0011_sessions.sql", Sources_Database_Migrations_0011_sessions_sql, sizeof Sources_Database_Migrations_0011_sessions_sql},
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
    {"Templates/email/de/method-added.html", Templates_email_de_method_added_html, sizeof Templates_email_de_method_added_html},
    {"Templates/email/de/method-added.preheader.txt", Templates_email_de_method_added_preheader_txt, sizeof Templates_email_de_method_added_preheader_txt},
    {"Templates/email/de/method-added.subject.txt", Templates_email_de_method_added_subject_txt, sizeof Templates_email_de_method_added_subject_txt},
    {"Templates/email/de/method-added.txt", Templates_email_de_method_added_txt, sizeof Templates_email_de_method_added_txt},
    {"Templates/email/de/method-removed.html", Templates_email_de_method_removed_html, sizeof Templates_email_de_method_removed_html},
    {"Templates/email/de/method-removed.preheader.txt", Templates_email_de_method_removed_preheader_txt, sizeof Templates_email_de_method_removed_preheader_txt},
    {"Templates/email/de/method-removed.subject.txt", Templates_email_de_method_removed_subject_txt, sizeof Templates_email_de_method_removed_subject_txt},
    {"Templates/email/de/method-removed.txt", Templates_email_de_method_removed_txt, sizeof Templates_email_de_method_removed_txt},
    {"Templates/email/de/sign-in.html", Templates_email_de_sign_in_html, sizeof Templates_email_de_sign_in_html},
    {"Templates/email/de/sign-in.preheader.txt", Templates_email_de_sign_in_preheader_txt, sizeof Templates_email_de_sign_in_preheader_txt},
    {"Templates/email/de/sign-in.subject.txt", Templates_email_de_sign_in_subject_txt, sizeof Templates_email_de_sign_in_subject_txt},
    {"Templates/email/de/sign-in.txt", Templates_email_de_sign_in_txt, sizeof Templates_email_de_sign_in_txt},
    {"Templates/email/de/unknown-account.txt", Templates_email_de_unknown_account_txt, sizeof Templates_email_de_unknown_account_txt},
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
    {"Templates/email/en/method-added.html", Templates_email_en_method_added_html, sizeof Templates_email_en_method_added_html},
    {"Templates/email/en/method-added.preheader.txt", Templates_email_en_method_added_preheader_txt, sizeof Templates_email_en_method_added_preheader_txt},
    {"Templates/email/en/method-added.subject.txt", Templates_email_en_method_added_subject_txt, sizeof Templates_email_en_method_added_subject_txt},
    {"Templates/email/en/method-added.txt", Templates_email_en_method_added_txt, sizeof Templates_email_en_method_added_txt},
    {"Templates/email/en/method-removed.html", Templates_email_en_method_removed_html, sizeof Templates_email_en_method_removed_html},
    {"Templates/email/en/method-removed.preheader.txt", Templates_email_en_method_removed_preheader_txt, sizeof Templates_email_en_method_removed_preheader_txt},
    {"Templates/email/en/method-removed.subject.txt", Templates_email_en_method_removed_subject_txt, sizeof Templates_email_en_method_removed_subject_txt},
    {"Templates/email/en/method-removed.txt", Templates_email_en_method_removed_txt, sizeof Templates_email_en_method_removed_txt},
    {"Templates/email/en/sign-in.html", Templates_email_en_sign_in_html, sizeof Templates_email_en_sign_in_html},
    {"Templates/email/en/sign-in.preheader.txt", Templates_email_en_sign_in_preheader_txt, sizeof Templates_email_en_sign_in_preheader_txt},
    {"Templates/email/en/sign-in.subject.txt", Templates_email_en_sign_in_subject_txt, sizeof Templates_email_en_sign_in_subject_txt},
    {"Templates/email/en/sign-in.txt", Templates_email_en_sign_in_txt, sizeof Templates_email_en_sign_in_txt},
    {"Templates/email/en/unknown-account.txt", Templates_email_en_unknown_account_txt, sizeof Templates_email_en_unknown_account_txt},
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
    {"Templates/email/es/method-added.html", Templates_email_es_method_added_html, sizeof Templates_email_es_method_added_html},
    {"Templates/email/es/method-added.preheader.txt", Templates_email_es_method_added_preheader_txt, sizeof Templates_email_es_method_added_preheader_txt},
    {"Templates/email/es/method-added.subject.txt", Templates_email_es_method_added_subject_txt, sizeof Templates_email_es_method_added_subject_txt},
    {"Templates/email/es/method-added.txt", Templates_email_es_method_added_txt, sizeof Templates_email_es_method_added_txt},
    {"Templates/email/es/method-removed.html", Templates_email_es_method_removed_html, sizeof Templates_email_es_method_removed_html},
    {"Templates/email/es/method-removed.preheader.txt", Templates_email_es_method_removed_preheader_txt, sizeof Templates_email_es_method_removed_preheader_txt},
    {"Templates/email/es/method-removed.subject.txt", Templates_email_es_method_removed_subject_txt, sizeof Templates_email_es_method_removed_subject_txt},
    {"Templates/email/es/method-removed.txt", Templates_email_es_method_removed_txt, sizeof Templates_email_es_method_removed_txt},
    {"Templates/email/es/sign-in.html", Templates_email_es_sign_in_html, sizeof Templates_email_es_sign_in_html},
    {"Templates/email/es/sign-in.preheader.txt", Templates_email_es_sign_in_preheader_txt, sizeof Templates_email_es_sign_in_preheader_txt},
    {"Templates/email/es/sign-in.subject.txt", Templates_email_es_sign_in_subject_txt, sizeof Templates_email_es_sign_in_subject_txt},
    {"Templates/email/es/sign-in.txt", Templates_email_es_sign_in_txt, sizeof Templates_email_es_sign_in_txt},
    {"Templates/email/es/unknown-account.txt", Templates_email_es_unknown_account_txt, sizeof Templates_email_es_unknown_account_txt},
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
    {"Templates/email/fr/method-added.html", Templates_email_fr_method_added_html, sizeof Templates_email_fr_method_added_html},
    {"Templates/email/fr/method-added.preheader.txt", Templates_email_fr_method_added_preheader_txt, sizeof Templates_email_fr_method_added_preheader_txt},
    {"Templates/email/fr/method-added.subject.txt", Templates_email_fr_method_added_subject_txt, sizeof Templates_email_fr_method_added_subject_txt},
    {"Templates/email/fr/method-added.txt", Templates_email_fr_method_added_txt, sizeof Templates_email_fr_method_added_txt},
    {"Templates/email/fr/method-removed.html", Templates_email_fr_method_removed_html, sizeof Templates_email_fr_method_removed_html},
    {"Templates/email/fr/method-removed.preheader.txt", Templates_email_fr_method_removed_preheader_txt, sizeof Templates_email_fr_method_removed_preheader_txt},
    {"Templates/email/fr/method-removed.subject.txt", Templates_email_fr_method_removed_subject_txt, sizeof Templates_email_fr_method_removed_subject_txt},
    {"Templates/email/fr/method-removed.txt", Templates_email_fr_method_removed_txt, sizeof Templates_email_fr_method_removed_txt},
    {"Templates/email/fr/sign-in.html", Templates_email_fr_sign_in_html, sizeof Templates_email_fr_sign_in_html},
    {"Templates/email/fr/sign-in.preheader.txt", Templates_email_fr_sign_in_preheader_txt, sizeof Templates_email_fr_sign_in_preheader_txt},
    {"Templates/email/fr/sign-in.subject.txt", Templates_email_fr_sign_in_subject_txt, sizeof Templates_email_fr_sign_in_subject_txt},
    {"Templates/email/fr/sign-in.txt", Templates_email_fr_sign_in_txt, sizeof Templates_email_fr_sign_in_txt},
    {"Templates/email/fr/unknown-account.txt", Templates_email_fr_unknown_account_txt, sizeof Templates_email_fr_unknown_account_txt},
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
    {"Templates/email/id/method-added.html", Templates_email_id_method_added_html, sizeof Templates_email_id_method_added_html},
    {"Templates/email/id/method-added.preheader.txt", Templates_email_id_method_added_preheader_txt, sizeof Templates_email_id_method_added_preheader_txt},
    {"Templates/email/id/method-added.subject.txt", Templates_email_id_method_added_subject_txt, sizeof Templates_email_id_method_added_subject_txt},
    {"Templates/email/id/method-added.txt", Templates_email_id_method_added_txt, sizeof Templates_email_id_method_added_txt},
    {"Templates/email/id/method-removed.html", Templates_email_id_method_removed_html, sizeof Templates_email_id_method_removed_html},
    {"Templates/email/id/method-removed.preheader.txt", Templates_email_id_method_removed_preheader_txt, sizeof Templates_email_id_method_removed_preheader_txt},
    {"Templates/email/id/method-removed.subject.txt", Templates_email_id_method_removed_subject_txt, sizeof Templates_email_id_method_removed_subject_txt},
    {"Templates/email/id/method-removed.txt", Templates_email_id_method_removed_txt, sizeof Templates_email_id_method_removed_txt},
    {"Templates/email/id/sign-in.html", Templates_email_id_sign_in_html, sizeof Templates_email_id_sign_in_html},
    {"Templates/email/id/sign-in.preheader.txt", Templates_email_id_sign_in_preheader_txt, sizeof Templates_email_id_sign_in_preheader_txt},
    {"Templates/email/id/sign-in.subject.txt", Templates_email_id_sign_in_subject_txt, sizeof Templates_email_id_sign_in_subject_txt},
    {"Templates/email/id/sign-in.txt", Templates_email_id_sign_in_txt, sizeof Templates_email_id_sign_in_txt},
    {"Templates/email/id/unknown-account.txt", Templates_email_id_unknown_account_txt, sizeof Templates_email_id_unknown_account_txt},
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
    {"Templates/email/it/method-added.html", Templates_email_it_method_added_html, sizeof Templates_email_it_method_added_html},
    {"Templates/email/it/method-added.preheader.txt", Templates_email_it_method_added_preheader_txt, sizeof Templates_email_it_method_added_preheader_txt},
    {"Templates/email/it/method-added.subject.txt", Templates_email_it_method_added_subject_txt, sizeof Templates_email_it_method_added_subject_txt},
    {"Templates/email/it/method-added.txt", Templates_email_it_method_added_txt, sizeof Templates_email_it_method_added_txt},
    {"Templates/email/it/method-removed.html", Templates_email_it_method_removed_html, sizeof Templates_email_it_method_removed_html},
    {"Templates/email/it/method-removed.preheader.txt", Templates_email_it_method_removed_preheader_txt, sizeof Templates_email_it_method_removed_preheader_txt},
    {"Templates/email/it/method-removed.subject.txt", Templates_email_it_method_removed_subject_txt, sizeof Templates_email_it_method_removed_subject_txt},
    {"Templates/email/it/method-removed.txt", Templates_email_it_method_removed_txt, sizeof Templates_email_it_method_removed_txt},
    {"Templates/email/it/sign-in.html", Templates_email_it_sign_in_html, sizeof Templates_email_it_sign_in_html},
    {"Templates/email/it/sign-in.preheader.txt", Templates_email_it_sign_in_preheader_txt, sizeof Templates_email_it_sign_in_preheader_txt},
    {"Templates/email/it/sign-in.subject.txt", Templates_email_it_sign_in_subject_txt, sizeof Templates_email_it_sign_in_subject_txt},
    {"Templates/email/it/sign-in.txt", Templates_email_it_sign_in_txt, sizeof Templates_email_it_sign_in_txt},
    {"Templates/email/it/unknown-account.txt", Templates_email_it_unknown_account_txt, sizeof Templates_email_it_unknown_account_txt},
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
    {"Templates/email/ja/method-added.html", Templates_email_ja_method_added_html, sizeof Templates_email_ja_method_added_html},
    {"Templates/email/ja/method-added.preheader.txt", Templates_email_ja_method_added_preheader_txt, sizeof Templates_email_ja_method_added_preheader_txt},
    {"Templates/email/ja/method-added.subject.txt", Templates_email_ja_method_added_subject_txt, sizeof Templates_email_ja_method_added_subject_txt},
    {"Templates/email/ja/method-added.txt", Templates_email_ja_method_added_txt, sizeof Templates_email_ja_method_added_txt},
    {"Templates/email/ja/method-removed.html", Templates_email_ja_method_removed_html, sizeof Templates_email_ja_method_removed_html},
    {"Templates/email/ja/method-removed.preheader.txt", Templates_email_ja_method_removed_preheader_txt, sizeof Templates_email_ja_method_removed_preheader_txt},
    {"Templates/email/ja/method-removed.subject.txt", Templates_email_ja_method_removed_subject_txt, sizeof Templates_email_ja_method_removed_subject_txt},
    {"Templates/email/ja/method-removed.txt", Templates_email_ja_method_removed_txt, sizeof Templates_email_ja_method_removed_txt},
    {"Templates/email/ja/sign-in.html", Templates_email_ja_sign_in_html, sizeof Templates_email_ja_sign_in_html},
    {"Templates/email/ja/sign-in.preheader.txt", Templates_email_ja_sign_in_preheader_txt, sizeof Templates_email_ja_sign_in_preheader_txt},
    {"Templates/email/ja/sign-in.subject.txt", Templates_email_ja_sign_in_subject_txt, sizeof Templates_email_ja_sign_in_subject_txt},
    {"Templates/email/ja/sign-in.txt", Templates_email_ja_sign_in_txt, sizeof Templates_email_ja_sign_in_txt},
    {"Templates/email/ja/unknown-account.txt", Templates_email_ja_unknown_account_txt, sizeof Templates_email_ja_unknown_account_txt},
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
    {"Templates/email/pt-BR/method-added.html", Templates_email_pt_BR_method_added_html, sizeof Templates_email_pt_BR_method_added_html},
    {"Templates/email/pt-BR/method-added.preheader.txt", Templates_email_pt_BR_method_added_preheader_txt, sizeof Templates_email_pt_BR_method_added_preheader_txt},
    {"Templates/email/pt-BR/method-added.subject.txt", Templates_email_pt_BR_method_added_subject_txt, sizeof Templates_email_pt_BR_method_added_subject_txt},
    {"Templates/email/pt-BR/method-added.txt", Templates_email_pt_BR_method_added_txt, sizeof Templates_email_pt_BR_method_added_txt},
    {"Templates/email/pt-BR/method-removed.html", Templates_email_pt_BR_method_removed_html, sizeof Templates_email_pt_BR_method_removed_html},
    {"Templates/email/pt-BR/method-removed.preheader.txt", Templates_email_pt_BR_method_removed_preheader_txt, sizeof Templates_email_pt_BR_method_removed_preheader_txt},
    {"Templates/email/pt-BR/method-removed.subject.txt", Templates_email_pt_BR_method_removed_subject_txt, sizeof Templates_email_pt_BR_method_removed_subject_txt},
    {"Templates/email/pt-BR/method-removed.txt", Templates_email_pt_BR_method_removed_txt, sizeof Templates_email_pt_BR_method_removed_txt},
    {"Templates/email/pt-BR/sign-in.html", Templates_email_pt_BR_sign_in_html, sizeof Templates_email_pt_BR_sign_in_html},
    {"Templates/email/pt-BR/sign-in.preheader.txt", Templates_email_pt_BR_sign_in_preheader_txt, sizeof Templates_email_pt_BR_sign_in_preheader_txt},
    {"Templates/email/pt-BR/sign-in.subject.txt", Templates_email_pt_BR_sign_in_subject_txt, sizeof Templates_email_pt_BR_sign_in_subject_txt},
    {"Templates/email/pt-BR/sign-in.txt", Templates_email_pt_BR_sign_in_txt, sizeof Templates_email_pt_BR_sign_in_txt},
    {"Templates/email/pt-BR/unknown-account.txt", Templates_email_pt_BR_unknown_account_txt, sizeof Templates_email_pt_BR_unknown_account_txt},
    {"Templates/email/pt-BR/unknown-device.txt", Templates_email_pt_BR_unknown_device_txt, sizeof Templates_email_pt_BR_unknown_device_txt},
    {"Templates/email/pt-BR/verify-email.html", Templates_email_pt_BR_verify_email_html, sizeof Templates_email_pt_BR_verify_email_html},
    {"Templates/email/pt-BR/verify-email.preheader.txt", Templates_email_pt_BR_verify_email_preheader_txt, sizeof Templates_email_pt_BR_verify_email_preheader_txt},
    {"Templates/email/pt-BR/verify-email.subject.txt", Templates_email_pt_BR_verify_email_subject_txt, sizeof Templates_email_pt_BR_verify_email_subject_txt},
    {"Templates/email/pt-BR/verify-email.txt", Templates_email_pt_BR_verify_email_txt, sizeof Templates_email_pt_BR_verify_email_txt},
    {"Templates/pages/approve.html", Templates_pages_approve_html, sizeof Templates_pages_approve_html},
    {"Templates/pages/approved.html", Templates_pages_approved_html, sizeof Templates_pages_approved_html},
    {"Templates/pages/code.html", Templates_pages_code_html, sizeof Templates_pages_code_html},
    {"Templates/pages/codes-paused.html", Templates_pages_codes_paused_html, sizeof Templates_pages_codes_paused_html},
    {"Templates/pages/confirm-change-email.html", Templates_pages_confirm_change_email_html, sizeof Templates_pages_confirm_change_email_html},
    {"Templates/pages/confirm-contest.html", Templates_pages_confirm_contest_html, sizeof Templates_pages_confirm_contest_html},
    {"Templates/pages/confirm-recover-email.html", Templates_pages_confirm_recover_email_html, sizeof Templates_pages_confirm_recover_email_html},
    {"Templates/pages/confirm-revert-change.html", Templates_pages_confirm_revert_change_html, sizeof Templates_pages_confirm_revert_change_html},
    {"Templates/pages/confirm-verify-email.html", Templates_pages_confirm_verify_email_html, sizeof Templates_pages_confirm_verify_email_html},
    {"Templates/pages/denied-email.html", Templates_pages_denied_email_html, sizeof Templates_pages_denied_email_html},
    {"Templates/pages/denied.html", Templates_pages_denied_html, sizeof Templates_pages_denied_html},
    {"Templates/pages/done-change-email.html", Templates_pages_done_change_email_html, sizeof Templates_pages_done_change_email_html},
    {"Templates/pages/done-contest.html", Templates_pages_done_contest_html, sizeof Templates_pages_done_contest_html},
    {"Templates/pages/done-recover-email.html", Templates_pages_done_recover_email_html, sizeof Templates_pages_done_recover_email_html},
    {"Templates/pages/done-revert-change.html", Templates_pages_done_revert_change_html, sizeof Templates_pages_done_revert_change_html},
    {"Templates/pages/done-verify-email.html", Templates_pages_done_verify_email_html, sizeof Templates_pages_done_verify_email_html},
    {"Templates/pages/error.html", Templates_pages_error_html, sizeof Templates_pages_error_html},
    {"Templates/pages/expired-no-resend.html", Templates_pages_expired_no_resend_html, sizeof Templates_pages_expired_no_resend_html},
    {"Templates/pages/expired.html", Templates_pages_expired_html, sizeof Templates_pages_expired_html},
    {"Templates/pages/landing.html", Templates_pages_landing_html, sizeof Templates_pages_landing_html},
    {"Templates/pages/layout.html", Templates_pages_layout_html, sizeof Templates_pages_layout_html},
    {"Templates/pages/mailbox-link.html", Templates_pages_mailbox_link_html, sizeof Templates_pages_mailbox_link_html},
    {"Templates/pages/mailbox-message.html", Templates_pages_mailbox_message_html, sizeof Templates_pages_mailbox_message_html},
    {"Templates/pages/mailbox-row.html", Templates_pages_mailbox_row_html, sizeof Templates_pages_mailbox_row_html},
    {"Templates/pages/mailbox.html", Templates_pages_mailbox_html, sizeof Templates_pages_mailbox_html},
    {"Templates/pages/not-found.html", Templates_pages_not_found_html, sizeof Templates_pages_not_found_html},
    {"Templates/pages/resent.html", Templates_pages_resent_html, sizeof Templates_pages_resent_html},
    {"Templates/pages/strings/de.json", Templates_pages_strings_de_json, sizeof Templates_pages_strings_de_json},
    {"Templates/pages/strings/en.json", Templates_pages_strings_en_json, sizeof Templates_pages_strings_en_json},
    {"Templates/pages/strings/es.json", Templates_pages_strings_es_json, sizeof Templates_pages_strings_es_json},
    {"Templates/pages/strings/fr.json", Templates_pages_strings_fr_json, sizeof Templates_pages_strings_fr_json},
    {"Templates/pages/strings/id.json", Templates_pages_strings_id_json, sizeof Templates_pages_strings_id_json},
    {"Templates/pages/strings/it.json", Templates_pages_strings_it_json, sizeof Templates_pages_strings_it_json},
    {"Templates/pages/strings/ja.json", Templates_pages_strings_ja_json, sizeof Templates_pages_strings_ja_json},
    {"Templates/pages/strings/pt-BR.json", Templates_pages_strings_pt_BR_json, sizeof Templates_pages_strings_pt_BR_json},
    {"Templates/pages/style.css", Templates_pages_style_css, sizeof Templates_pages_style_css},
    {"Templates/pages/wrong-address.html", Templates_pages_wrong_address_html, sizeof Templates_pages_wrong_address_html},
    {"Templates/pages/wrong-digits.html", Templates_pages_wrong_digits_html, sizeof Templates_pages_wrong_digits_html},
    {"docs/openapi.json", docs_openapi_json, sizeof docs_openapi_json},
};

const latchkey_resource *latchkey_resources(size_t *count) {
    *count = sizeof resources / sizeof *resources;
    return resources;
}
